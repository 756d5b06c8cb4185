// SPDX-License-Identifier: MIT
//
// The configurations of a job, as its plan has them: from files, or of a Markov chain that the job makes itself.
#pragma once

#include "apps/quarks/gauge_choice.hpp"
#include "kov/core/io/gauge/gauge_file.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kov::app {

/// A configuration that a job will work on.
struct PlannedGauge {
  /// The file, or "beta6_seed1_update60".
  std::string name;
  /// Changes with the links: see identity_of_file(); for generated links, the parameters of the chain.
  std::string identity;
  /// Whether the header has checksums that identify the links, and they are compared.  Always for generated ones.
  bool identified = true;
  /// Whether its header says that it is a copy of one before it.
  bool seen = false;
  /// GaugeReport::links_checksum if the links were read for the plan.
  std::string links = {};
};

/// All configurations of a job.
struct PlannedGauges {
  Coord extent;
  std::vector<PlannedGauge> configurations;
  /// Configurations that seem to be one.
  std::vector<std::string> warnings = {};
};

/// A warning that two files hold one configuration.
std::string same_configuration(const std::string& file, const std::string& other);

/// The identity of a file's links, from its name and header.
std::string identity_of_file(const std::string& file, const GaugeHeader& header);

/// Reads the headers of all files, whose extents must agree.  check: called as soon as the extents are known.
/// Collective.
PlannedGauges plan_gauges(const Comm& comm, const GaugeChoice& choice, const Settings& settings,
                          const std::function<void(const Coord& extent)>& check);

/// How many updates the chain takes for configuration k, the first one being 0.
int updates_until(const GaugeChoice& choice, int k);

}  // namespace kov::app
