// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_measure.hpp"

#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/sources/propagator.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"

#include <cmath>

namespace kov::app {

struct SpectrumMeasurement::Work {
  virtual ~Work() = default;
  virtual JournalEntry measure(const Coord& origin, const std::function<void(const SolveReport&)>& column) const = 0;
};

namespace {

GaugeField<double> smeared_links(const GaugeField<double>& gauge, const SpectrumParameters::Links& links) {
  if (links.smearing == "ape") return ape(gauge, {.weight = links.ape_weight, .n = links.steps});
  if (links.smearing == "stout") return stout(gauge, {.rho = links.stout_rho, .n = links.steps});
  return gauge.alias();
}

/// The solver of solver.method.
template <class F>
Solver<F> plain_solver(const SpectrumParameters::Solver& parameters) {
  const auto limited = [&](auto solver) {
    solver.tolerance = parameters.tolerance;
    solver.max_iterations = parameters.max_iterations;
    return Solver<F>(solver);
  };
  if (parameters.method == "cg") return limited(NormalConjugateGradient{});
  if (parameters.method == "bicgstab-2") return limited(BiCgStabL{.l = 2});
  if (parameters.method == "gcr") return limited(Gcr{});
  return limited(BiCgStab{});
}

/// The solver that the parameters describe, for dirac: low is the same in single precision, for mixed ones.
template <class T, class Dirac, class Low>
Solver<SpinorField<T>> solver_of(const SpectrumParameters::Solver& parameters, const Dirac& dirac,
                                 const std::optional<Low>& low) {
  const bool even_odd = parameters.preconditioner != "none";
  const SchurForm form =
      parameters.preconditioner == "even-odd-symmetric" ? SchurForm::symmetric : SchurForm::asymmetric;
  if constexpr (std::is_same_v<T, double>)
    if (low) {
      const Solver<SpinorField<float>> plain = plain_solver<SpinorField<float>>(parameters);
      if (even_odd) return EvenOdd<T>(dirac, MixedPrecision(SchurComplement(*low, 1, form), plain), form);
      return MixedPrecision(*low, plain);
    }
  const Solver<SpinorField<T>> plain = plain_solver<SpinorField<T>>(parameters);
  if (even_odd) return EvenOdd<T>(dirac, plain, form);
  return plain;
}

/// The Wilson operator or, with a clover term, the Wilson-clover operator of the parameters.
template <class Dirac>
Dirac dirac_of(const GaugeField<double>& gauge, const SpectrumParameters& parameters) {
  const SpectrumParameters::Action& action = parameters.action;
  if constexpr (std::is_same_v<Dirac, WilsonOperator<typename Dirac::Storage>>)
    return {GaugeLinks<typename Dirac::Storage>(gauge, parameters.boundary()), action.mass};
  else
    return {gauge, parameters.boundary(), {.mass = action.mass, .c_sw = action.c_sw}};
}

/// Throws unless the squares of the source and of its quarks are numbers that the precision has.
template <class T>
void require_usable(const Propagator<T>& source) {
  constexpr double least = std::is_same_v<T, float> ? 1e-30 : 1e-200;
  for (const double square : norm2_by_column(source.columns())) {
    const std::string what =
        sentence("the smeared source at", to_string(source.labels.origin), "has the norm", std::sqrt(square));
    require(square != 0, what + ":", "nothing follows from it; smear it less, or multiply source.formula by a number");
    require<ConvergenceError>(square >= least && square <= 1 / least, what + ",",
                              "whose powers are no numbers in this precision: smear it less, multiply source.formula",
                              "by a number, or take solver.precision double");
  }
}

/// Dirac: the operator, as a template on the precision.
template <template <class> class Dirac, class T>
class TypedMeasurement : public SpectrumMeasurement::Work {
 public:
  TypedMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters)
      : parameters_(parameters),
        momenta_(parameters.momenta(gauge.lattice().extent())),
        M_(dirac_of<Dirac<T>>(gauge, parameters)) {
    if (parameters.solver.precision == "mixed") low_.emplace(dirac_of<Dirac<float>>(gauge, parameters));
    solver_.emplace(solver_of<T>(parameters.solver, M_, low_));
    const GaugeLinks<T> smooth(smeared_links(gauge, parameters.links));
    const auto smearing = [&](const SmearingChoice& choice, const std::string& name) {
      return QuarkSmearing<T>(smooth, choice.shape(name), {.accuracy = {.error = parameters.source.accuracy}});
    };
    at_source_.emplace(smearing(parameters.source.choice, parameters.source.smearing));
    for (const std::string& name : parameters.sink.smearings)
      at_sink_.push_back(smearing(parameters.sink.choice, name));
  }

  JournalEntry measure(const Coord& origin, const std::function<void(const SolveReport&)>& column) const override {
    Propagator<T> source = point_source<T>(at_source_->lattice(), origin);
    at_source_->apply(source.columns(), source.columns());
    require_usable(source);
    source.labels.boundary = parameters_.boundary();
    source.labels.others = {{"source_smearing", parameters_.source.smearing},
                            {"action", parameters_.quarks()},
                            {"kappa", parameters_.action.kappa},
                            {"boundary", parameters_.action.boundary}};
    if (parameters_.action.c_sw != 0) source.labels.others["c_sw"] = parameters_.action.c_sw;
    const SolvedPropagator<T> solved =
        solve_propagator(*solver_, M_, source, [&](int, const SolveReport& report) { column(report); });
    JournalEntry entry;
    entry.notes["iterations"] = std::to_string(solved.iterations());
    entry.notes["worst_residual"] = exact_text(solved.worst_residual());
    for (std::size_t k = 0; k < at_sink_.size(); ++k) {
      const Propagator<T>& point = solved.propagator;
      Propagator<T> quark = at_sink_[k].is_none() ? point.alias() : smeared(point, at_sink_[k]);
      quark.labels.others["sink_smearing"] = parameters_.sink.smearings[k];
      contract(entry, quark);
    }
    return entry;
  }

 private:
  void contract(JournalEntry& entry, const Propagator<T>& quark) const {
    const auto add = [&](const std::vector<Correlator>& found) {
      entry.correlators.insert(entry.correlators.end(), found.begin(), found.end());
    };
    if (const auto channels = parameters_.meson_channels(); !channels.empty())
      add(mesons(quark, quark, channels, momenta_));
    if (const auto channels = parameters_.baryon_channels(); !channels.empty())
      add(baryons(quark, quark, channels, momenta_));
  }

  SpectrumParameters parameters_;
  std::vector<Momentum> momenta_;
  Dirac<T> M_;
  std::optional<QuarkSmearing<T>> at_source_;
  std::vector<QuarkSmearing<T>> at_sink_;
  std::optional<Dirac<float>> low_;
  std::optional<Solver<SpinorField<T>>> solver_;
};

template <template <class> class Dirac>
std::unique_ptr<SpectrumMeasurement::Work> work_with(const GaugeField<double>& gauge,
                                                     const SpectrumParameters& parameters) {
  if (parameters.solver.precision == "single")
    return std::make_unique<TypedMeasurement<Dirac, float>>(gauge, parameters);
  return std::make_unique<TypedMeasurement<Dirac, double>>(gauge, parameters);
}

}  // namespace

SpectrumMeasurement::SpectrumMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters) {
  if (parameters.action.c_sw == 0)
    work_ = work_with<WilsonOperator>(gauge, parameters);
  else
    work_ = work_with<WilsonCloverOperator>(gauge, parameters);
}
SpectrumMeasurement::~SpectrumMeasurement() = default;

JournalEntry SpectrumMeasurement::measure(const Coord& origin,
                                          const std::function<void(const SolveReport&)>& column) const {
  return work_->measure(origin, column);
}

}  // namespace kov::app
