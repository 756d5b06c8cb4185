// SPDX-License-Identifier: MIT
//
// The plan of a spectrum job: which configurations, which origins on each, and what of it the journal has already.
#pragma once

#include "apps/command_line.hpp"
#include "apps/journal.hpp"
#include "apps/spectrum_parameters.hpp"

namespace kov::app {

/// One configuration and origin: what is measured, and finished, as a whole.
struct PlannedPart {
  Coord origin;
  /// Under which the journal has it.
  std::string key;
  std::optional<JournalEntry> entry;
};

struct PlannedConfiguration {
  /// Label of its correlators: the file, or "beta6_seed1_update60".
  std::string name;
  std::vector<PlannedPart> parts;

  bool finished() const;
};

struct SpectrumPlan {
  Coord extent;
  std::vector<PlannedConfiguration> configurations;

  int n_parts() const;
  int n_finished_parts() const;
  /// Columns still to be solved for.
  int n_solves() const;
  /// Updates of the Markov chain still to be made; it begins anew for the first configuration that is missing.
  int n_updates(const SpectrumParameters& parameters) const;
};

/// Reads the headers of all files, whose extents must agree, and asks the journal.  Collective.
SpectrumPlan make_plan(const Comm& comm, const SpectrumParameters& parameters, const Settings& settings,
                       const Journal& journal);

/// The plan in words, for --dry-run and the log.  Collective.
std::string plan_text(const Comm& comm, const SpectrumPlan& plan, const SpectrumParameters& parameters);

/// Output files by purpose.
struct SpectrumOutputs {
  /// Empty without HDF5.
  std::string hdf5;
  std::string text, picture;

  /// What follows output.prefix.
  static std::vector<std::string> endings();
};
SpectrumOutputs outputs_of(const SpectrumParameters& parameters);

}  // namespace kov::app
