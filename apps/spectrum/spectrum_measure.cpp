// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_measure.hpp"

#include "apps/spectrum/three_point_measure.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <optional>

namespace kov::app {

struct SpectrumMeasurement::Work {
  virtual ~Work() = default;
  virtual std::vector<std::string> deflations() const = 0;
  virtual JournalEntry measure(const std::string& configuration, const Coord& origin,
                               const std::map<std::string, StoredPropagator>& stored,
                               const SolveCallback& solved_for) const = 0;
  virtual JournalEntry measure_loops(const std::string& configuration, const SolveCallback& solved_for) const = 0;
};

namespace {

/// A solver that reports each solve, and counts them for the message of one that fails.
template <class F>
struct ReportingSolver {
  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;
  Solver<F> solver;
  std::function<void(const SolveReport&)> report;
  /// Of all copies.
  std::shared_ptr<int> n_solves = std::make_shared<int>(0);

  ReportingSolver(const Solver<F>& of, const std::function<void(const SolveReport&)>& report)
      : tolerance(of.tolerance),
        max_iterations(of.max_iterations),
        on_failure(of.on_failure),
        progress(of.progress),
        solver(of),
        report(report) {}
  std::string name() const { return solver.name(); }
  SolveReport operator()(const Operator<F>& A, const F& b, const F& x) const {
    const SolveReport of_solve = naming(sentence("solve", ++*n_solves, "for its loops"),
                                        [&] { return solver.with_settings_of(*this)(A, b, x); });
    report(of_solve);
    return of_solve;
  }
};

template <class T>
class TypedMeasurement : public SpectrumMeasurement::Work {
 public:
  TypedMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters,
                   const std::string& links_checksum, const SpectrumTasks& tasks, const SpectrumBatches& batches)
      : parameters_(parameters),
        batches_(batches),
        gauge_(gauge.alias()),
        lattice_(gauge.lattice()),
        links_checksum_(links_checksum),
        quarks_(parameters.all_quarks()),
        momenta_(parameters.momenta(gauge.lattice().extent())),
        momentum_groups_(momentum_groups(momenta_, batches.momenta)),
        solvers_(quarks_.size()) {
    const std::vector<std::size_t> with_loops =
        tasks.loops && parameters.loops.any() ? parameters.loops.places(quarks_) : std::vector<std::size_t>{};
    for (std::size_t q = 0; q < quarks_.size(); ++q)
      if (batches.keeps_operators && ((tasks.sources && quarks_[q].propagators.empty()) ||
                                      std::count(with_loops.begin(), with_loops.end(), q) > 0))
        naming(quarks_[q].called(),
               [&] { solvers_[q].emplace(gauge, quarks_[q], quarks_[q].solver, batches.columns[q]); });
    if (!tasks.sources) return;
    if (!parameters.three_points.empty()) three_points_.emplace(gauge, parameters, batches, solvers_);
    SmearingMaker<T> smearings(gauge, parameters.links);
    std::vector<NamedQuark> solved_for;
    for (const NamedQuark& quark : quarks_)
      if (quark.propagators.empty()) solved_for.push_back(quark);
    make_source_.emplace(lattice_, parameters.links, parameters.source, smearings, solved_for);
    for (const std::string& name : parameters.sink.smearings) {
      std::map<std::array<double, 3>, QuarkSmearing<T>> of_boost;
      std::vector<QuarkSmearing<T>>& of_quarks = at_sink_.emplace_back();
      for (const NamedQuark& quark : quarks_) {
        if (!of_boost.contains(quark.boost))
          of_boost.emplace(quark.boost,
                           smearings(parameters.sink.choice, name, parameters.source.accuracy, quark.boost));
        of_quarks.push_back(of_boost.at(quark.boost));
      }
    }
  }

  std::vector<std::string> deflations() const override {
    std::vector<std::string> texts;
    for (std::size_t q = 0; q < quarks_.size(); ++q)
      if (solvers_[q] && !solvers_[q]->deflation().empty())
        texts.push_back((quarks_[q].name.empty() ? "" : quarks_[q].name + ": ") + solvers_[q]->deflation());
    return texts;
  }

  JournalEntry measure(const std::string& configuration, const Coord& origin,
                       const std::map<std::string, StoredPropagator>& stored,
                       const SolveCallback& solved_for) const override {
    std::optional<Propagator<T>> source;
    std::array<double, 3> boost{};  // of the source
    std::vector<Propagator<T>> propagators;
    SolveTotals totals;
    for (std::size_t q = 0; q < quarks_.size(); ++q) {
      if (const auto found = stored.find(quarks_[q].name); found != stored.end()) {
        propagators.push_back(read_stored<T>(lattice_, found->second, links_checksum_));
        continue;
      }
      const SolvedPropagator<T> solved = naming(quarks_[q].called(), [&] {
        if (!source || boost != quarks_[q].boost) source = (*make_source_)(quarks_[q], origin, configuration);
        boost = quarks_[q].boost;
        return solver_of(q).solve(*source, solved_for);
      });
      totals.add(solved);
      propagators.push_back(solved.propagator.alias());
    }
    source.reset();
    JournalEntry entry;
    for (std::size_t k = 0; k < at_sink_.size(); ++k) {
      for (std::size_t q = 0; q < quarks_.size(); ++q) set_labels(propagators[q], q, k);
      const QuarksAtSink<T> at_sink(propagators, at_sink_[k], batches_.keeps_smeared);
      for (std::size_t a = 0; a < quarks_.size(); ++a) {
        if (!is_contracted(a, a)) continue;
        const Propagator<T> first = at_sink(a);
        for (std::size_t b = 0; b < quarks_.size(); ++b)
          if (is_contracted(a, b)) contract(entry, first, a == b ? first.alias() : at_sink(b), a, b);
      }
      contract_flavours(entry, at_sink);
      if (three_points_) three_points_->measure(propagators, at_sink, solved_for, totals, entry);
    }
    note_solves(totals, entry);
    return entry;
  }

  JournalEntry measure_loops(const std::string& configuration, const SolveCallback& solved_for) const override {
    JournalEntry entry;
    SolveTotals totals;
    const std::vector<Momentum> momenta(parameters_.loops.momenta.begin(), parameters_.loops.momenta.end());
    for (const std::size_t q : parameters_.loops.places(quarks_)) {
      const NamedQuark& quark = quarks_[q];
      const auto report = [&](const SolveReport& of_solve) {
        totals.add(of_solve);
        solved_for(of_solve, 1);
      };
      std::map<std::string, LabelValue> labels = quark.labels();
      if (!quark.name.empty()) {
        labels = quark.time_labels();
        labels["quarks"] = quark.name;
        if (quark.mu != 0) labels["mu"] = quark.mu;
      }
      std::vector<Correlator> loops = naming(quark.called(), [&] {
        const QuarkSolver<T> solver =
            batches_.keeps_operators ? *solvers_[q] : QuarkSolver<T>(gauge_, quark, one_by_one(q));
        std::optional<LoopModes<T>> modes;
        if (parameters_.loops.modes > 0)
          modes.emplace(loop_modes<T>(solver.M(), lattice_,
                                      {.n = parameters_.loops.modes, .tolerance = parameters_.loops.mode_tolerance}));
        return quark_loops<T>(ReportingSolver<SpinorField<T>>(solver.solver(), report), solver.M(), lattice_,
                              parameters_.loops.parameters(quark, configuration), momenta, modes ? &*modes : nullptr);
      });
      for (Correlator& c : loops) {
        c.labels.insert(labels.begin(), labels.end());
        entry.correlators.push_back(std::move(c));
      }
    }
    note_solves(totals, entry);
    return entry;
  }

 private:
  static void note_solves(const SolveTotals& totals, JournalEntry& entry) {
    entry.notes["iterations"] = std::to_string(totals.iterations);
    entry.notes["worst_residual"] = exact_text(totals.worst_residual);
  }

  void set_labels(Propagator<T>& quark, std::size_t q, std::size_t sink) const {
    const auto read = quark.labels.others.find("source_smearing");
    const bool is_solved = quarks_[q].propagators.empty();
    const LabelValue source_smearing = is_solved                           ? parameters_.source.smearing
                                       : read == quark.labels.others.end() ? LabelValue("unknown")
                                                                           : read->second;
    const std::string source = is_solved && quark.labels.source.empty() ? "point" : quark.labels.source;
    quark.labels.boundary = quarks_[q].boundary_angles();
    quark.labels.others = quarks_[q].labels();
    // What the quarks of a name are is in the parameters.
    if (!quarks_[q].name.empty()) quark.labels.others = quarks_[q].time_labels();
    quark.labels.others["source_smearing"] = source_smearing;
    // Walls, grids and so on, and what files of other programs do not say.
    if (source != "point") quark.labels.others["source_type"] = source.empty() ? "unknown" : source;
    quark.labels.others["sink_smearing"] = parameters_.sink.smearings[sink];
  }

  /// The operator and solver of a quark: kept, or made anew.
  QuarkSolver<T> solver_of(std::size_t q) const {
    if (solvers_[q]) return *solvers_[q];
    return QuarkSolver<T>(gauge_, quarks_[q], quarks_[q].solver, batches_.columns[q]);
  }
  SolverChoice one_by_one(std::size_t q) const {
    SolverChoice choice = quarks_[q].solver;
    choice.columns = "one by one";
    return choice;
  }

  /// What find(momenta) gives with momenta innermost, of their groups; all in the order of momenta_.
  template <class Find>
  std::vector<Correlator> of_all_momenta(const Find& find) const {
    if (momentum_groups_.size() == 1) return find(momentum_groups_.front());
    std::vector<Correlator> result;
    for (const std::vector<Momentum>& group : momentum_groups_) {
      std::vector<Correlator> found = find(group);
      result.resize(found.size() / group.size() * momenta_.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto place = std::find(momenta_.begin(), momenta_.end(), group[i % group.size()]) - momenta_.begin();
        result[i / group.size() * momenta_.size() + std::size_t(place)] = std::move(found[i]);
      }
    }
    return result;
  }

  /// Channels of quarks q, q and p; of different quarks those that are defined for them.
  std::vector<BaryonChannel> baryon_channels(std::size_t a, std::size_t b) const {
    auto channels = parameters_.baryon_channels();
    if (a != b) std::erase_if(channels, [](const BaryonChannel& c) { return c.direct != c.exchange; });
    return channels;
  }
  bool is_contracted(std::size_t a, std::size_t b) const {
    return (a <= b && !parameters_.meson_channels().empty()) || !baryon_channels(a, b).empty();
  }

  /// Mesons of every pair once, baryons in both orders.
  void contract(JournalEntry& entry, const Propagator<T>& first, const Propagator<T>& second, std::size_t a,
                std::size_t b) const {
    const auto add = [&](std::vector<Correlator> found) {
      if (!quarks_[a].name.empty())
        found = with_label(std::move(found), "quarks", quarks_[a].name + "-" + quarks_[b].name);
      entry.correlators.insert(entry.correlators.end(), found.begin(), found.end());
    };
    if (const auto channels = parameters_.meson_channels(); !channels.empty() && a <= b)
      add(of_all_momenta([&](const std::vector<Momentum>& p) { return mesons(first, second, channels, p); }));
    if (const auto channels = baryon_channels(a, b); !channels.empty())
      add(of_all_momenta([&](const std::vector<Momentum>& p) { return baryons(first, second, channels, p); }));
  }

  /// Octet and decuplet, once for all quarks.
  void contract_flavours(JournalEntry& entry, const QuarksAtSink<T>& at_sink) const {
    const std::vector<BaryonOperator> operators = parameters_.baryon_operators();
    if (operators.empty()) return;
    const FlavoursAtSink<T> quarks(parameters_.flavours(), at_sink);
    for (Correlator& c :
         of_all_momenta([&](const std::vector<Momentum>& p) { return baryons<T>(quarks.quarks(), operators, p); })) {
      if (!quarks_.front().name.empty()) {
        const auto op = std::find_if(operators.begin(), operators.end(),
                                     [&](const BaryonOperator& one) { return one.name == c.channel; });
        require(op != operators.end(), "the baryon", c.channel, "is of no operator");
        const std::vector<BaryonOperator> alone(1, *op);
        c.labels["quarks"] = parameters_.quarks.flavour_label(parameters_.flavours_of(alone));
      }
      entry.correlators.push_back(std::move(c));
    }
  }

  SpectrumParameters parameters_;
  SpectrumBatches batches_;
  GaugeField<double> gauge_;
  Lattice lattice_;
  std::string links_checksum_;
  std::vector<NamedQuark> quarks_;
  std::vector<Momentum> momenta_;
  std::vector<std::vector<Momentum>> momentum_groups_;
  /// Absent where propagators are read, where no task needs them, and where none is kept; so are the others without
  /// sources.
  std::vector<std::optional<QuarkSolver<T>>> solvers_;
  std::optional<SourceMaker<T>> make_source_;
  /// Of each sink for each quark.
  std::vector<std::vector<QuarkSmearing<T>>> at_sink_;
  std::optional<ThreePointMeasurement<T>> three_points_;
};

}  // namespace

SpectrumMeasurement::SpectrumMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters,
                                         const std::string& links_checksum, const SpectrumTasks& tasks,
                                         const SpectrumBatches& batches) {
  if (parameters.solver.is_single())
    work_ = std::make_unique<TypedMeasurement<float>>(gauge, parameters, links_checksum, tasks, batches);
  else
    work_ = std::make_unique<TypedMeasurement<double>>(gauge, parameters, links_checksum, tasks, batches);
}
SpectrumMeasurement::~SpectrumMeasurement() = default;

std::vector<std::string> SpectrumMeasurement::deflations() const { return work_->deflations(); }

JournalEntry SpectrumMeasurement::measure(const std::string& configuration, const Coord& origin,
                                          const std::map<std::string, StoredPropagator>& stored,
                                          const SolveCallback& solved_for) const {
  return work_->measure(configuration, origin, stored, solved_for);
}

JournalEntry SpectrumMeasurement::measure_loops(const std::string& configuration,
                                                const SolveCallback& solved_for) const {
  return work_->measure_loops(configuration, solved_for);
}

}  // namespace kov::app
