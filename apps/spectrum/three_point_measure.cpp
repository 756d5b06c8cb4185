// SPDX-License-Identifier: MIT
#include "apps/spectrum/three_point_measure.hpp"

#include "kov/contractions/hadrons/conserved_current.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/anisotropy.hpp"

namespace kov::app {

namespace {

/// All currents, or those with the same derivatives and path that stand beside each other.
std::vector<std::vector<QuarkCurrent>> current_groups(const std::vector<QuarkCurrent>& currents, bool together) {
  std::vector<std::vector<QuarkCurrent>> groups;
  for (const QuarkCurrent& c : currents) {
    const bool same =
        !groups.empty() &&
        (together || (groups.back().back().derivatives == c.derivatives && groups.back().back().path == c.path));
    if (!same) groups.emplace_back();
    groups.back().push_back(c);
  }
  return groups;
}

}  // namespace

template <class T>
void SolveTotals::add(const SolvedPropagator<T>& solved) {
  iterations += solved.iterations();
  worst_residual = max_or_nan(worst_residual, solved.worst_residual());
}

void SolveTotals::add(const SolveReport& report) {
  iterations += report.iterations;
  worst_residual = max_or_nan(worst_residual, report.residual);
}

template <class T>
QuarksAtSink<T>::QuarksAtSink(const std::vector<Propagator<T>>& quarks, const std::vector<QuarkSmearing<T>>& sinks,
                              bool keeps)
    : quarks_(quarks), sinks_(sinks), keeps_(keeps) {}

template <class T>
Propagator<T> QuarksAtSink<T>::operator()(std::size_t q) const {
  if (sinks_[q].is_none()) return quarks_[q].alias();
  if (!keeps_) return smeared(quarks_[q], sinks_[q]);
  if (!kept_.contains(q)) kept_.emplace(q, smeared(quarks_[q], sinks_[q]));
  return kept_.at(q).alias();
}

template <class T>
FlavoursAtSink<T>::FlavoursAtSink(const std::map<std::string, std::size_t>& places, const QuarksAtSink<T>& at_sink)
    : places_(places) {
  for (const auto& [flavour, q] : places_)
    if (!propagators_.contains(q)) propagators_.emplace(q, at_sink(q));
}

template <class T>
Quarks<T> FlavoursAtSink<T>::quarks() const {
  Quarks<T> quarks;
  for (const auto& [flavour, q] : places_) quarks.emplace(flavour, propagators_.at(q));
  return quarks;
}

template <class T>
ThreePointMeasurement<T>::ThreePointMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters,
                                                const SpectrumBatches& batches,
                                                const std::vector<std::optional<QuarkSolver<T>>>& solvers)
    : batches_(batches),
      gauge_(gauge.alias()),
      all_(parameters.all_quarks()),
      links_(gauge, all_.front().boundary_angles()) {
  for (const ThreePointChoice& choice : parameters.three_points) {
    Task task{choice, choice.resolved_hadron(), choice.all_currents()};
    const bool named = !all_.front().name.empty();
    if (task.hadron.operators.empty()) {
      task.two = choice.two_quarks(all_);
      if (named) task.label = all_[task.two[0]].name + "-" + all_[task.two[1]].name;
    } else {
      task.flavours = parameters.flavours_of(task.hadron.operators);
      if (named) task.label = parameters.quarks.flavour_label(task.flavours);
    }
    task.struck = parameters.struck_quark(choice);
    const NamedQuark& quark = all_[task.struck];
    if (batches.keeps_operators && !solvers_.contains(task.struck)) {
      const std::optional<QuarkSolver<T>>& same = solvers[task.struck];
      solvers_.emplace(task.struck, quark.mu == 0 && same ? *same : turned_solver(task.struck));
    }
    if (!task.currents.conserved.empty() && !of_action_.contains(task.struck))
      of_action_.emplace(task.struck,
                         GaugeLinks<T>(gauge, Anisotropy{quark.xi0, quark.nu}.factors(quark.boundary_angles())));
    tasks_.push_back(std::move(task));
  }
}

template <class T>
QuarkSolver<T> ThreePointMeasurement<T>::turned_solver(std::size_t q) const {
  QuarkAction action = all_[q];
  action.mu = -action.mu;
  return QuarkSolver<T>(gauge_, action, all_[q].solver, batches_.columns[q]);
}

template <class T>
Propagator<T> ThreePointMeasurement<T>::source_of(const Task& task, const QuarksAtSink<T>& at_sink, int t_sink,
                                                  const Momentum& p) const {
  const ThreePointHadron& h = task.hadron;
  if (h.meson) return meson_sequential_source(at_sink(task.two[1]), t_sink, Gamma::number(h.meson->sink), p);
  if (h.channel) {
    const Propagator<T> of_q = at_sink(task.two[0]),
                        of_p = task.two[1] == task.two[0] ? of_q.alias() : at_sink(task.two[1]);
    return baryon_sequential_source(of_q, of_p, *h.channel, task.choice.struck_line() == "p", t_sink, p);
  }
  const FlavoursAtSink<T> quarks(task.flavours, at_sink);
  std::vector<BaryonCorrelation> correlations;
  for (const BaryonOperator& op : h.operators) correlations.push_back({op.name, op, op});
  return baryon_sequential_source<T>(quarks.quarks(), correlations, task.choice.struck_line(), t_sink, p);
}

template <class T>
std::vector<Correlator> ThreePointMeasurement<T>::contracted(const Task& task, const Propagator<T>& s,
                                                             const Propagator<T>& q) const {
  const std::vector<Momentum> transfers(task.choice.transfers.begin(), task.choice.transfers.end());
  const int source = task.hadron.meson ? task.hadron.meson->source : 0;
  std::vector<Correlator> found;
  for (const std::vector<QuarkCurrent>& currents : current_groups(task.currents.local, batches_.keeps_moved)) {
    const std::vector<Correlator> some = three_point_functions(links_, s, q, currents, transfers, source);
    found.insert(found.end(), some.begin(), some.end());
  }
  if (task.currents.conserved.empty()) return found;
  std::vector<Correlator> conserved = conserved_currents(of_action_.at(task.struck), s, q, {source}, transfers);
  for (const int mu : task.currents.conserved)
    for (std::size_t k = 0; k < transfers.size(); ++k) {
      Correlator& c = conserved[std::size_t(mu) * transfers.size() + k];
      c.kind = "three-point";
      c.channel = std::string("conserved_") + "xyzt"[mu];
      found.push_back(std::move(c));
    }
  return found;
}

template <class T>
SolvedPropagator<T> ThreePointMeasurement<T>::solved(const Task& task, const Propagator<T>& source,
                                                     const SolveCallback& solved_for) const {
  if (batches_.keeps_operators) return solvers_.at(task.struck).solve(source, solved_for);
  return turned_solver(task.struck).solve(source, solved_for);
}

template <class T>
void ThreePointMeasurement<T>::measure(const std::vector<Propagator<T>>& quarks, const QuarksAtSink<T>& at_sink,
                                       const SolveCallback& solved_for, SolveTotals& totals,
                                       JournalEntry& entry) const {
  for (const Task& task : tasks_) {
    const Propagator<T>& s = quarks[task.struck];
    for (const int dt : task.choice.times)
      for (const Momentum& p : task.choice.momenta) {
        const int t_sink = (s.labels.origin[3] + dt) % s.lattice().extent()[3];
        const std::string what = sentence(all_[task.struck].called() + ", sequential source of the", task.choice.hadron,
                                          "with the sink at t =", t_sink);
        SolvedPropagator<T> q = naming(what, [&] {
          const Propagator<T> source = source_of(task, at_sink, t_sink, p);
          if (const QuarkSmearing<T>& sink = at_sink.sink(task.struck); !sink.is_none())
            sink.apply(source.columns(), source.columns());
          return solved(task, source, solved_for);
        });
        totals.add(q);
        q.propagator.labels = s.labels;
        for (Correlator& c : contracted(task, s, q.propagator)) {
          c.labels["hadron"] = task.choice.hadron;
          c.labels["quark"] = task.choice.struck_line();
          c.labels["sink_time"] = std::int64_t(dt);
          c.labels["sink_momentum"] = to_string(p);
          if (!task.label.empty()) c.labels["quarks"] = task.label;
          entry.correlators.push_back(std::move(c));
        }
      }
  }
}

template void SolveTotals::add(const SolvedPropagator<float>&);
template void SolveTotals::add(const SolvedPropagator<double>&);
template class QuarksAtSink<float>;
template class QuarksAtSink<double>;
template class FlavoursAtSink<float>;
template class FlavoursAtSink<double>;
template class ThreePointMeasurement<float>;
template class ThreePointMeasurement<double>;

}  // namespace kov::app
