// SPDX-License-Identifier: MIT
//
// visit_gauges(): a job's way through its configurations.
#pragma once

#include "apps/program/command_line.hpp"
#include "apps/quarks/planned_gauge.hpp"

#include <functional>

namespace kov::app {

/// What a job does with its configurations, by their numbers.
struct GaugeVisits {
  std::size_t n;
  std::function<const PlannedGauge&(std::size_t)> planned;
  std::function<bool(std::size_t)> has_work;
  std::function<void(std::size_t, const GaugeField<double>&, const GaugeReport&)> work;
  /// After each configuration, also those without work.
  std::function<void(std::size_t)> done = [](std::size_t) {};
  /// After each update of the Markov chain.
  std::function<void()> updated;
  /// Before warnings and errors.
  std::function<void()> hide_progress;
  /// "what was finished is in run.journal"
  std::string kept;
};

/// Makes or reads those that have work, in their order; beyond the last of them a Markov chain is not continued.  What
/// the lattice's tuner chose goes to the log.
/// Throws InputError where a file no longer holds the links that were planned.  Collective.
void visit_gauges(const Session& session, const Lattice& lattice, const GaugeChoice& choice, const Settings& settings,
                  const GaugeVisits& visits);

}  // namespace kov::app
