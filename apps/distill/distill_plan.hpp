// SPDX-License-Identifier: MIT
//
// The plan of `kovariant distill`: which files there will be, and which of them earlier runs have finished.
#pragma once

#include "apps/distill/distill_memory.hpp"
#include "apps/files/journal.hpp"
#include "apps/quarks/planned_gauge.hpp"

namespace kov::app {

/// A file of a configuration.
struct DistillFile {
  std::string name;
  /// A hash of all that it depends on, which the file records as the label "job".
  std::string job;
  bool is_finished = false;
  /// Of correlators of two mesons and baryons that are not finished: the source times that are, from the journal.
  std::map<int, JournalEntry> parts = {};
  /// What the journal calls a source time.
  std::string part_key(int time) const { return name + " time " + std::to_string(time); }
};

/// The files of a configuration.
struct DistillFiles {
  DistillFile eigenvectors, elementals;
  /// Of each quark, one for each source time.  With noise, of each quark and each noise, which changes first, one for
  /// each class in time.
  std::vector<std::vector<DistillFile>> perambulators;
  /// Correlators of single mesons, of each of DistillParameters::quark_pairs(); empty when none are wanted.
  std::vector<DistillFile> correlators;
  /// Of baryons, and correlators; without a name, and finished, when none are wanted.
  DistillFile baryon_elementals, two_pions, pion_kaon, baryons;
  /// The noises, and a file of each; empty without.
  std::vector<DilutedNoise> noises = {};
  std::vector<DistillFile> noise = {};

  /// That of two mesons.
  DistillFile& of(MesonPair pair) { return pair == MesonPair::pion_kaon ? pion_kaon : two_pions; }
  const DistillFile& of(MesonPair pair) const { return pair == MesonPair::pion_kaon ? pion_kaon : two_pions; }
  /// Those of correlators that are contracted source time by source time, with a journal.
  std::vector<const DistillFile*> by_source() const;
  /// Those that have a name, in the order in which they are made.
  std::vector<const DistillFile*> all() const;
  /// Those of correlators.
  std::vector<const DistillFile*> all_correlators() const;
  bool has_work() const;
  /// Of perambulators.
  int n_unfinished() const;
  /// Of correlators of single mesons.
  int n_unfinished_mesons() const;
  int n_unfinished_noises() const;
  /// Whether something of them is missing that is made from eigenvectors.
  bool needs_eigenvectors() const;
};

/// The files that a job makes, and which parts of them earlier runs have finished.  Known before anything is computed.
struct DistillPlan {
  PlannedGauges gauges;
  std::vector<int> source_times;
  /// With noise: the classes in time that have them.
  std::vector<int> time_classes = {};
  /// Of each configuration.
  std::vector<DistillFiles> files;
  std::vector<std::string> warnings = {};
  /// How much is done at a time, so that it fits into the memory.
  DistillBatches batches = {};

  /// What is left to be done on any configuration.
  std::vector<DistillStep> steps() const;
  /// Files of all configurations, and those that are there.
  int n_files() const;
  int n_finished() const;
  /// What is still to be done.
  int n_updates(const GaugeChoice& choice) const;
  int n_searches() const;
  int n_elementals(const DistillParameters& parameters) const;
  int n_solves(const DistillParameters& parameters) const;
  /// Of correlators; and those of single mesons alone.
  int n_correlator_files() const;
  int n_meson_files() const;
  /// Of elementals of baryons.
  int n_baryon_files() const;
  /// Contractions of one source time and one (total) momentum.
  int n_two_mesons(const DistillParameters& parameters) const;
  int n_baryons(const DistillParameters& parameters) const;
  std::vector<std::string> file_names() const;
  /// Those of correlators, one configuration after the other.
  std::vector<std::string> correlator_file_names() const;
  /// Source times that are only in the journal.
  int n_parts() const;
};

/// Reads the headers of all configurations and of what earlier runs wrote.  Throws InputError when a file is of
/// another kind or has other parameters, FormatError when it is damaged, both of which say to move it away; and
/// InputError when what is left to do does not fit into the memory.  Collective.
DistillPlan plan_distillation(const Comm& comm, const DistillParameters& parameters, const Settings& settings);

/// The plan as text, for --dry-run and the log.  Collective.
std::string distill_plan_text(const Comm& comm, const DistillPlan& plan, const DistillParameters& parameters);

}  // namespace kov::app
