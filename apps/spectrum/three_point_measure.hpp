// SPDX-License-Identifier: MIT
//
// Three-point functions of a spectrum job: sequential sources, their solves, and currents.
#pragma once

#include "apps/files/journal.hpp"
#include "apps/quarks/quark_solver.hpp"
#include "apps/spectrum/spectrum_memory.hpp"
#include "apps/spectrum/spectrum_parameters.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
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

/// The propagators of all quarks, smeared at a sink: kept from the first use to the last, or smeared for each.
template <class T>
class QuarksAtSink {
 public:
  /// quarks: not smeared; sinks: one for each.  Both must live as long.
  QuarksAtSink(const std::vector<Propagator<T>>& quarks, const std::vector<QuarkSmearing<T>>& sinks, bool keeps);
  /// Of quark q.
  Propagator<T> operator()(std::size_t q) const;
  /// What smears quark q.
  const QuarkSmearing<T>& sink(std::size_t q) const { return sinks_[q]; }

 private:
  const std::vector<Propagator<T>>& quarks_;
  const std::vector<QuarkSmearing<T>>& sinks_;
  bool keeps_;
  mutable std::map<std::size_t, Propagator<T>> kept_ = {};
};

/// Those that are u, d and s.
template <class T>
class FlavoursAtSink {
 public:
  /// places: of each flavour in `at_sink`.
  FlavoursAtSink(const std::map<std::string, std::size_t>& places, const QuarksAtSink<T>& at_sink);
  /// Valid as long as this object.
  Quarks<T> quarks() const;

 private:
  std::map<std::string, std::size_t> places_;
  std::map<std::size_t, Propagator<T>> propagators_ = {};
};

/// What the tables [[three_point]] share on a configuration.
template <class T>
class ThreePointMeasurement {
 public:
  /// Makes links, and the operators of struck quarks, where batches keep them, unless they have no twisted mass and are
  /// in `solvers`, by their place in all_quarks().  Collective.
  ThreePointMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters,
                        const SpectrumBatches& batches, const std::vector<std::optional<QuarkSolver<T>>>& solvers);

  /// Twelve solves for each table, time and momentum of the sink; correlators of kind "three-point" are added to the
  /// entry with the labels of `quarks`, and hadron, quark (that is struck), sink_time (from the source), sink_momentum.
  /// quarks: all of the job, not smeared at the sink; at_sink: smeared there; labels are the same.  Collective; throws
  /// ConvergenceError.
  void measure(const std::vector<Propagator<T>>& quarks, const QuarksAtSink<T>& at_sink,
               const SolveCallback& solved_for, SolveTotals& totals, JournalEntry& entry) const;

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
  Propagator<T> source_of(const Task& task, const QuarksAtSink<T>& at_sink, int t_sink, const Momentum& p) const;
  /// Of the operator of quark q with the opposite twisted mass.
  QuarkSolver<T> turned_solver(std::size_t q) const;
  SolvedPropagator<T> solved(const Task& task, const Propagator<T>& source, const SolveCallback& solved_for) const;
  std::vector<Correlator> contracted(const Task& task, const Propagator<T>& s, const Propagator<T>& q) const;

  SpectrumBatches batches_;
  GaugeField<double> gauge_;
  std::vector<NamedQuark> all_;
  std::vector<Task> tasks_;
  /// By the place of the struck quark: of the operator with the opposite twisted mass; empty where none is kept.
  std::map<std::size_t, QuarkSolver<T>> solvers_;
  /// With boundary phases; of the conserved current with the anisotropy as well.
  GaugeLinks<T> links_;
  std::map<std::size_t, GaugeLinks<T>> of_action_;
};

}  // namespace kov::app
