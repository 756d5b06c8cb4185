// SPDX-License-Identifier: MIT
//
// Three-point functions of a spectrum job: sequential sources, their solves, and currents.
#pragma once

#include "apps/files/journal.hpp"
#include "apps/quarks/quark_solver.hpp"
#include "apps/spectrum/spectrum_parameters.hpp"
#include "kov/stencil/smearing/quark_smearing.hpp"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace kov::app {

/// Iterations of all solves so far, and the worst residual.
struct SolveTotals {
  int iterations = 0;
  double worst_residual = 0;

  /// Takes the solves of a propagator, or one, into account.
  template <class T>
  void add(const SolvedPropagator<T>& solved);
  void add(const SolveReport& report);
};

/// What the tables [[three_point]] share on a configuration.
template <class T>
class ThreePointMeasurement {
 public:
  /// Makes links, and the operators of struck quarks unless they have no twisted mass and are in `solvers`, by their
  /// place in all_quarks().  Collective.
  ThreePointMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters,
                        const std::vector<std::optional<QuarkSolver<T>>>& solvers);

  /// Twelve solves for each table, time and momentum of the sink; correlators of kind "three-point" are added to the
  /// entry with the labels of `quarks`, and hadron, quark (that is struck), sink_time (from the source), sink_momentum.
  /// quarks: all of the job, not smeared at the sink; at_sink: smeared there by `sinks`, one for each quark; labels are
  /// the same.  Collective; throws ConvergenceError.
  void measure(const std::vector<Propagator<T>>& quarks, const std::vector<Propagator<T>>& at_sink,
               const std::vector<QuarkSmearing<T>>& sinks, const SolveCallback& solved_for, SolveTotals& totals,
               JournalEntry& entry) const;

 private:
  /// A table with what its names mean.
  struct Task {
    ThreePointChoice choice;
    ThreePointHadron hadron;
    ThreePointCurrents currents;
    /// Of a meson or of q, q and p; of octet and decuplet by flavour.
    std::array<std::size_t, 2> two{0, 0};
    std::map<std::string, std::size_t> flavours = {};
    /// The place of the quark that is struck.
    std::size_t struck = 0;
    /// The label `quarks`; empty for a quark without name.
    std::string label = {};
  };
  Propagator<T> source_of(const Task& task, const std::vector<Propagator<T>>& at_sink, int t_sink,
                          const Momentum& p) const;
  std::vector<Correlator> contracted(const Task& task, const Propagator<T>& s, const Propagator<T>& q) const;

  std::vector<NamedQuark> all_;
  std::vector<Task> tasks_;
  /// By the place of the struck quark: of the operator with the opposite twisted mass.
  std::map<std::size_t, QuarkSolver<T>> solvers_;
  /// With boundary phases; of the conserved current with the anisotropy as well.
  GaugeLinks<T> links_;
  std::map<std::size_t, GaugeLinks<T>> of_action_;
};

}  // namespace kov::app
