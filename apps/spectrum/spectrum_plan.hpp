// SPDX-License-Identifier: MIT
//
// The plan of a spectrum job: its configurations, the origins on each, and the parts that the journal already has.
#pragma once

#include "apps/files/journal.hpp"
#include "apps/program/command_line.hpp"
#include "apps/quarks/planned_gauge.hpp"
#include "apps/quarks/propagator_files.hpp"
#include "apps/spectrum/spectrum_memory.hpp"
#include "apps/spectrum/spectrum_parameters.hpp"

#include <map>
#include <optional>

namespace kov::app {

/// One configuration and origin, or its quark loops: the unit of work.
struct PlannedPart {
  /// no_source for loops.
  Coord origin;
  /// Its key in the journal.
  std::string key;
  /// The propagators that are read, by quark.
  std::map<std::string, StoredPropagator> stored = {};
  std::optional<JournalEntry> entry = {};

  /// Whether it is the loops of a configuration, not a source.
  bool is_loops() const { return origin == no_source; }
  /// "at 0 0 0 0", "loops"
  std::string name() const { return is_loops() ? "loops" : "at " + to_string(origin); }
};

/// A configuration, and its sources and loops.
struct PlannedConfiguration : PlannedGauge {
  std::vector<PlannedPart> parts = {};

  /// How many of the parts the journal has.
  int n_finished() const;
  bool finished() const { return n_finished() == int(parts.size()); }
  /// Solves of its parts that the journal has, or has not.
  int n_solves(const SpectrumParameters& parameters, bool finished) const;
};

/// What a job measures, and what of it the journal has: found before anything is computed.
struct SpectrumPlan {
  Coord extent;
  std::vector<PlannedConfiguration> configurations;
  /// The entries of the journal that were not used, and why; configurations that seem to be one; windows.
  std::vector<std::string> warnings = {};
  /// How much is done at a time, so that it fits into the memory.
  SpectrumBatches batches = {};

  /// Sources and loops of all configurations, and those that the journal has.
  int n_parts() const;
  int n_finished_parts() const;
  /// The keys of the parts that the journal does not have.
  std::vector<std::string> missing_keys() const;
  /// Columns still to be solved for.
  int n_solves(const SpectrumParameters& parameters) const;
  /// What is left to do.
  std::vector<SpectrumStep> steps(const SpectrumParameters& parameters) const;
  /// Updates of the Markov chain still to be made; the chain starts again for the first missing configuration.
  int n_updates(const SpectrumParameters& parameters) const;
};

/// Reads the headers of all files, whose extents must agree, and looks up their results in the journal.  If there are
/// results of a file whose header has no checksum that identifies its links, the links are read, and only results of
/// the same links are used.  Throws InputError when what is left to do does not fit into the memory.  Collective.
SpectrumPlan make_plan(const Comm& comm, const SpectrumParameters& parameters, const Settings& settings,
                       const Journal& journal);

/// The plan as text, for --dry-run and the log.  Collective.
std::string plan_text(const Comm& comm, const SpectrumPlan& plan, const SpectrumParameters& parameters);

/// Output files by purpose.
struct SpectrumOutputs {
  /// Empty without HDF5.
  std::string hdf5;
  std::string text;

  /// What follows output.prefix.
  static std::vector<std::string> endings();
};
/// The outputs of a job.
SpectrumOutputs outputs_of(const SpectrumParameters& parameters);

}  // namespace kov::app
