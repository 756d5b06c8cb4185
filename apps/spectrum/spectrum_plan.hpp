// SPDX-License-Identifier: MIT
//
// The plan of a spectrum job: which configurations, which origins on each, and what of it the journal has already.
#pragma once

#include "apps/files/journal.hpp"
#include "apps/program/command_line.hpp"
#include "apps/spectrum/spectrum_parameters.hpp"
#include "kov/core/io/gauge/gauge_file.hpp"

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
  /// See identity_of_file(); of generated links, what they are made by.
  std::string identity;
  /// GaugeReport::links_checksum, where the file was read for the plan.
  std::string links = {};
  std::vector<PlannedPart> parts = {};

  /// How many of the parts the journal has.
  int n_finished() const;
  bool finished() const { return n_finished() == int(parts.size()); }
};

struct SpectrumPlan {
  Coord extent;
  std::vector<PlannedConfiguration> configurations;
  /// What of the journal was not taken over, and why.
  std::vector<std::string> warnings = {};

  int n_parts() const;
  int n_finished_parts() const;
  /// Columns still to be solved for.
  int n_solves() const;
  /// Updates of the Markov chain still to be made; it begins anew for the first configuration that is missing.
  int n_updates(const SpectrumParameters& parameters) const;
};

/// What a file's name and header say of its links.
std::string identity_of_file(const std::string& file, const GaugeHeader& header);

/// Reads the headers of all files, whose extents must agree, and asks the journal.  Where that has a file's results and
/// its header has no checksum that tells its links from all others, the links are read, and only what was measured on
/// these is taken over.  Collective.
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
SpectrumOutputs outputs_of(const SpectrumParameters& parameters);

}  // namespace kov::app
