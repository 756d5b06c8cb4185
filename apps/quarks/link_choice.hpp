// SPDX-License-Identifier: MIT
//
// LinkChoice: the section [links] of a job, the smeared links of sources and sinks.
#pragma once

#include "apps/settings/settings.hpp"
#include "kov/core/field/field.hpp"

#include <string>

namespace kov::app {

/// The settings of smeared links, which smearings of quarks take: how they are smeared, and how often.
struct LinkChoice {
  std::string smearing = "ape";
  int steps = 10;
  double ape_weight = 2.5, stout_rho = 0.1;

  /// Binds the members to their keys.
  void add_to(Settings& settings);
  /// Throws InputError, which names the key.
  void check(const Settings& settings) const;
  /// The links themselves where there is no smearing.  Collective.
  GaugeField<double> smeared(const GaugeField<double>& gauge) const;
  /// "ape x 10"
  std::string description() const;
};

}  // namespace kov::app
