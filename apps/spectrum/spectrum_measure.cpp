// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_measure.hpp"

#include "kov/algebra/bicgstab.hpp"
#include "kov/algebra/conjugate_gradient.hpp"
#include "kov/algebra/even_odd.hpp"
#include "kov/algebra/mixed_precision.hpp"
#include "kov/contractions/sources/propagator.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/io/text.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"

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

/// The solver that the parameters describe, for M: low is M in single precision, for mixed ones.
template <class T, class Plain>
Solver<SpinorField<T>> solver_with(const Plain& plain, const SpectrumParameters::Solver& parameters,
                                   const WilsonOperator<T>& M, const std::optional<WilsonOperator<float>>& low) {
  const bool even_odd = parameters.preconditioner == "even-odd";
  if constexpr (std::is_same_v<T, double>)
    if (low) {
      if (even_odd) return EvenOdd<T>(M, MixedPrecision(SchurComplement(*low), plain));
      return MixedPrecision(*low, plain);
    }
  if (even_odd) return EvenOdd<T>(M, plain);
  return plain;
}

template <class T>
Solver<SpinorField<T>> solver_of(const SpectrumParameters::Solver& parameters, const WilsonOperator<T>& M,
                                 const std::optional<WilsonOperator<float>>& low) {
  if (parameters.method == "cg")
    return solver_with<T>(
        NormalConjugateGradient{.tolerance = parameters.tolerance, .max_iterations = parameters.max_iterations},
        parameters, M, low);
  return solver_with<T>(BiCgStab{.tolerance = parameters.tolerance, .max_iterations = parameters.max_iterations},
                        parameters, M, low);
}

template <class T>
class TypedMeasurement : public SpectrumMeasurement::Work {
 public:
  TypedMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters)
      : parameters_(parameters),
        momenta_(parameters.momenta(gauge.lattice().extent())),
        M_(GaugeLinks<T>(gauge, parameters.boundary()), parameters.action.mass) {
    if (parameters.solver.precision == "mixed")
      low_.emplace(GaugeLinks<float>(gauge, parameters.boundary()), parameters.action.mass);
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
    source.labels.boundary = parameters_.boundary();
    source.labels.others = {{"source_smearing", parameters_.source.smearing},
                            {"action", "Wilson"},
                            {"kappa", parameters_.action.kappa},
                            {"boundary", parameters_.action.boundary}};
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
  WilsonOperator<T> M_;
  std::optional<QuarkSmearing<T>> at_source_;
  std::vector<QuarkSmearing<T>> at_sink_;
  std::optional<WilsonOperator<float>> low_;
  std::optional<Solver<SpinorField<T>>> solver_;
};

}  // namespace

SpectrumMeasurement::SpectrumMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters) {
  if (parameters.solver.precision == "single")
    work_ = std::make_unique<TypedMeasurement<float>>(gauge, parameters);
  else
    work_ = std::make_unique<TypedMeasurement<double>>(gauge, parameters);
}
SpectrumMeasurement::~SpectrumMeasurement() = default;

JournalEntry SpectrumMeasurement::measure(const Coord& origin,
                                          const std::function<void(const SolveReport&)>& column) const {
  return work_->measure(origin, column);
}

}  // namespace kov::app
