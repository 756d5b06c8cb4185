// SPDX-License-Identifier: MIT
//
// Parameters of a spectrum after assignments, and the errors that these give.
#pragma once

#include "apps/spectrum/spectrum_parameters.hpp"
#include "kov/core/base/error.hpp"

#include <string>
#include <vector>

namespace kov::app::spectrum_settings {

/// The parameters after these --set.
inline SpectrumParameters with(const std::vector<std::string>& assignments) {
  SpectrumParameters p;
  Settings s = p.settings();
  for (const std::string& assignment : assignments) s.assign(assignment);
  p.complete(s);
  return p;
}

inline std::string error_with(const std::vector<std::string>& assignments) {
  try {
    with(assignments);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The error of check() for a lattice of this extent.
inline std::string error_on(const Coord& extent, const std::vector<std::string>& assignments) {
  SpectrumParameters p;
  Settings s = p.settings();
  try {
    for (const std::string& assignment : assignments) s.assign(assignment);
    p.complete(s);
    p.check(s, extent);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace kov::app::spectrum_settings
