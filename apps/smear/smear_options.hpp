// SPDX-License-Identifier: MIT
//
// What a user of `kovariant smear` chooses.
#pragma once

#include "apps/files/gauge_files.hpp"
#include "apps/smear/smearing_choice.hpp"

#include <array>
#include <optional>
#include <string>

namespace kov::app {

/// By the names of the options.
struct SmearOptions {
  std::string gauge_file, output = "smear", direction = "x", profile = "wuppertal", source = "point", links = "unit";
  Coord extent{24, 24, 24, 4};
  std::optional<Coord> at;
  GaugeFileOptions gauge;
  SmearingChoice smearing{.width = 4, .iterations = 30};
  double accuracy = 1e-10;
  std::array<double, 3> momentum{0, 0, 0};
  int order = 0, ape_steps = 0, stout_steps = 0, spacing = 0;
  std::array<double, 3> wave{0, 0, 0};
  std::uint64_t seed = 1;
  bool find_bounds = false, dry_run = false;
  /// Links of 144 bytes and spinors of 192.
  static constexpr double bytes_per_site = 4 * 144 + 4 * 192;

  /// Of the line and of the spectrum.
  int mu() const { return int(std::string("xyz").find(direction)); }
};

}  // namespace kov::app
