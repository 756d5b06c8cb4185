// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_measure.hpp"

#include "apps/quarks/quark_solver.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/io/text.hpp"

#include <optional>

namespace kov::app {

struct SpectrumMeasurement::Work {
  virtual ~Work() = default;
  virtual JournalEntry measure(const Coord& origin, const std::function<void(const SolveReport&)>& column) const = 0;
};

namespace {

template <class T>
class TypedMeasurement : public SpectrumMeasurement::Work {
 public:
  TypedMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters)
      : parameters_(parameters),
        momenta_(parameters.momenta(gauge.lattice().extent())),
        solver_(gauge, parameters.action, parameters.solver) {
    const GaugeLinks<T> smooth(parameters.links.smeared(gauge));
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
    source.labels.boundary = parameters_.action.boundary_angles();
    source.labels.others = parameters_.action.labels();
    source.labels.others["source_smearing"] = parameters_.source.smearing;
    const SolvedPropagator<T> solved = solver_.solve(source, [&](int, const SolveReport& report) { column(report); });
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
  QuarkSolver<T> solver_;
  std::optional<QuarkSmearing<T>> at_source_;
  std::vector<QuarkSmearing<T>> at_sink_;
};

}  // namespace

SpectrumMeasurement::SpectrumMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters) {
  if (parameters.solver.is_single())
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
