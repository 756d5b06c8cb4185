// SPDX-License-Identifier: MIT
//
// The measurement itself: from one gauge field and one origin to correlators.
#pragma once

#include "apps/files/journal.hpp"
#include "apps/quarks/propagator_files.hpp"
#include "apps/quarks/quark_solver.hpp"
#include "apps/spectrum/spectrum_memory.hpp"
#include "apps/spectrum/spectrum_parameters.hpp"
#include "kov/algebra/solve_report.hpp"
#include "kov/stencil/io/gauge_io.hpp"

#include <functional>
#include <map>
#include <memory>

namespace kov::app {

/// What is to be measured on a configuration; inputs that only other measurements need are not computed.
struct SpectrumTasks {
  bool sources = true, loops = true;
};

/// Everything about one configuration that its origins share: smeared links, operator, solver.
class SpectrumMeasurement {
 public:
  /// Smears the links and makes the operators, those that the tasks need and `batches` keep.  Collective.
  /// links_checksum: of the configuration, which propagators in files record.
  SpectrumMeasurement(const GaugeField<double>& gauge, const SpectrumParameters& parameters,
                      const std::string& links_checksum, const SpectrumTasks& tasks, const SpectrumBatches& batches);
  ~SpectrumMeasurement();

  /// What solver.deflation took and saves, of each quark that has it and whose operator is kept.
  std::vector<std::string> deflations() const;

  /// Source, twelve columns for each quark that is not in `stored`, contractions.
  /// Correlators have the labels source_smearing, sink_smearing, and action, kappa and boundary or, of quarks with
  /// names, `quarks`: "light-strange".  notes have the iterations and the worst residual.  Collective; throws
  /// ConvergenceError.  Then the three-point functions, see ThreePointMeasurement.
  JournalEntry measure(const std::string& configuration, const Coord& origin,
                       const std::map<std::string, StoredPropagator>& stored, const SolveCallback& solved_for) const;

  /// Quark loops of the quarks that were asked for, with the labels of these and the label hit.  configuration: its
  /// name, which chooses the noise, here as for sources.
  JournalEntry measure_loops(const std::string& configuration, const SolveCallback& solved_for) const;

  struct Work;

 private:
  std::unique_ptr<const Work> work_;
};

}  // namespace kov::app
