// SPDX-License-Identifier: MIT
#include "apps/spectrum/three_point_measure.hpp"

#include "kov/contractions/hadrons/conserved_current.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/anisotropy.hpp"

namespace kov::app {

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
ThreePointMeasurement<T>::ThreePointMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters,
                                                const std::vector<std::optional<QuarkSolver<T>>>& solvers)
    : all_(parameters.all_quarks()), links_(gauge, all_.front().boundary_angles()) {
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
    if (!solvers_.contains(task.struck)) {
      QuarkAction action = quark;
      action.mu = -action.mu;
      const std::optional<QuarkSolver<T>>& same = solvers[task.struck];
      solvers_.emplace(task.struck, quark.mu == 0 && same ? *same : QuarkSolver<T>(gauge, action, quark.solver));
    }
    if (!task.currents.conserved.empty() && !of_action_.contains(task.struck))
      of_action_.emplace(task.struck,
                         GaugeLinks<T>(gauge, Anisotropy{quark.xi0, quark.nu}.factors(quark.boundary_angles())));
    tasks_.push_back(std::move(task));
  }
}

template <class T>
Propagator<T> ThreePointMeasurement<T>::source_of(const Task& task, const std::vector<Propagator<T>>& at_sink,
                                                  int t_sink, const Momentum& p) const {
  const ThreePointHadron& h = task.hadron;
  if (h.meson) return meson_sequential_source(at_sink[task.two[1]], t_sink, Gamma::number(h.meson->sink), p);
  if (h.channel)
    return baryon_sequential_source(at_sink[task.two[0]], at_sink[task.two[1]], *h.channel,
                                    task.choice.struck_line() == "p", t_sink, p);
  Quarks<T> quarks;
  for (const auto& [flavour, q] : task.flavours) quarks.emplace(flavour, at_sink[q]);
  std::vector<BaryonCorrelation> correlations;
  for (const BaryonOperator& op : h.operators) correlations.push_back({op.name, op, op});
  return baryon_sequential_source<T>(quarks, correlations, task.choice.struck_line(), t_sink, p);
}

template <class T>
std::vector<Correlator> ThreePointMeasurement<T>::contracted(const Task& task, const Propagator<T>& s,
                                                             const Propagator<T>& q) const {
  const std::vector<Momentum> transfers(task.choice.transfers.begin(), task.choice.transfers.end());
  const int source = task.hadron.meson ? task.hadron.meson->source : 0;
  std::vector<Correlator> found;
  if (!task.currents.local.empty()) found = three_point_functions(links_, s, q, task.currents.local, transfers, source);
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
void ThreePointMeasurement<T>::measure(const std::vector<Propagator<T>>& quarks,
                                       const std::vector<Propagator<T>>& at_sink,
                                       const std::vector<QuarkSmearing<T>>& sinks, const SolveCallback& solved_for,
                                       SolveTotals& totals, JournalEntry& entry) const {
  for (const Task& task : tasks_) {
    const Propagator<T>& s = quarks[task.struck];
    for (const int dt : task.choice.times)
      for (const Momentum& p : task.choice.momenta) {
        const int t_sink = (s.labels.origin[3] + dt) % s.lattice().extent()[3];
        Propagator<T> source = source_of(task, at_sink, t_sink, p);
        if (const QuarkSmearing<T>& sink = sinks[task.struck]; !sink.is_none())
          sink.apply(source.columns(), source.columns());
        SolvedPropagator<T> solved = solvers_.at(task.struck).solve(source, solved_for);
        totals.add(solved);
        solved.propagator.labels = s.labels;
        for (Correlator& c : contracted(task, s, solved.propagator)) {
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
template class ThreePointMeasurement<float>;
template class ThreePointMeasurement<double>;

}  // namespace kov::app
