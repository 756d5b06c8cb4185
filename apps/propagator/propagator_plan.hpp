// SPDX-License-Identifier: MIT
//
// The plan of `kovariant propagator`: what there is to solve for, and what earlier runs have finished.
#pragma once

#include "apps/program/command_line.hpp"
#include "apps/propagator/propagator_parameters.hpp"
#include "apps/quarks/planned_gauge.hpp"
#include "apps/quarks/propagator_files.hpp"

namespace kov::app {

/// A quark from one origin on one configuration: a file.
struct PlannedPropagator {
  std::size_t configuration, quark;
  Coord origin;
  std::string file;
  /// Where its columns are kept, without the ending: see column_file().
  std::string journal;
  /// A hash of all that it depends on, which its file records.
  std::string job;
  /// Of a sequential source: the propagator to the sink.
  std::optional<StoredPropagator> to_sink = {};
  bool is_finished = false;
  /// Which of its columns are in the journal.
  std::array<bool, 12> has_column{};

  /// Columns in the journal.
  int n_columns() const;
  /// Columns still to be solved for.
  int n_missing() const { return is_finished ? 0 : 12 - n_columns(); }
};

/// How much a process does, and keeps, at a time.  Smaller batches take less memory and more time; solutions agree to
/// the tolerance of the solver whatever they are, and with one precision to the last bit.
struct PropagatorBatches {
  /// Right-hand sides of a solve, of each quark.
  std::vector<int> columns = {};
  /// The operators of all quarks, from the first source of a configuration to the last; or each is made for every
  /// propagator.
  bool keeps_operators = true;

  /// The largest.
  static PropagatorBatches of(const PropagatorParameters& parameters);
};

/// The files that a job makes, and which parts of them earlier runs have finished.  Known before anything is computed.
struct PropagatorPlan {
  PlannedGauges gauges;
  std::vector<PlannedPropagator> propagators;
  std::vector<std::string> warnings = {};
  /// How much is done at a time, so that it fits into the memory.
  PropagatorBatches batches = {};

  /// Propagators that are there, and columns of others that are in the journal.
  int n_finished() const;
  int n_columns_kept() const;
  /// Columns still to be solved for.
  int n_solves() const;
  /// Updates of the Markov chain still to be made.
  int n_updates(const GaugeChoice& choice) const;
  /// Whether one of a configuration's is not finished.
  bool has_work(std::size_t configuration) const;
  /// Bytes of the files that are not there yet.
  double bytes_to_write(const PropagatorParameters& parameters) const;
};

/// Where a column of an unfinished propagator is kept.
std::string column_file(const PlannedPropagator& planned, int column);

/// Reads the headers of all configurations and of what earlier runs wrote.  Throws InputError when a file of a
/// propagator is no propagator or has other parameters, FormatError when it is damaged; both say to move it away.
/// InputError too when what is left to do does not fit into the memory.  Collective.
PropagatorPlan plan_propagators(const Comm& comm, const PropagatorParameters& parameters, const Settings& settings);

/// The plan as text, for --dry-run and the log.  Collective.
std::string plan_text(const Comm& comm, const PropagatorPlan& plan, const PropagatorParameters& parameters);

/// Bytes that a process needs for fields and links, which has so many sites.
double propagator_job_bytes(const PropagatorParameters& parameters, double sites, const PropagatorBatches& batches);

/// The largest batches with which a job fits into so many bytes of a process.  Throws InputError where not even the
/// smallest ones fit.
PropagatorBatches batches_that_fit(const PropagatorParameters& parameters, double sites, double bytes);

}  // namespace kov::app
