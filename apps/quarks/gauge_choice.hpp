// SPDX-License-Identifier: MIT
//
// GaugeChoice: the sections [gauge] and [generate] of a job, the configurations it works on.
#pragma once

#include "apps/files/gauge_files.hpp"
#include "apps/settings/settings.hpp"
#include "kov/stencil/gauge/heatbath.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// The settings [gauge]: configurations from files, or the chain that generates them.
struct GaugeChoice {
  /// None: configurations are generated.
  std::vector<std::string> files = {}, ignore = {};
  Coord extent{8, 8, 8, 16};
  QuenchedParameters chain{
      .beta = 6.0, .seed = 1, .n_thermalise = 60, .n_between = 12, .overrelaxation_per_heatbath = 4};
  int configurations = 8;

  /// Binds the members to their keys.
  void add_to(Settings& settings);
  /// Throws InputError, which names the key.
  void check(const Settings& settings) const;
  /// How the files are read; extents of files are those of gauge.extent where it was given.
  GaugeFileOptions file_options(const Settings& settings) const;
};

}  // namespace kov::app
