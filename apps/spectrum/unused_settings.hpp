// SPDX-License-Identifier: MIT
//
// Settings of `kovariant spectrum` that were given and change nothing.
#pragma once

#include "apps/spectrum/spectrum_parameters.hpp"

namespace kov::app {

/// A warning for every setting that was given, is not its default, and is not used with the others: the width of
/// another smearing, the seed where configurations are files.  For settings that are complete.
std::vector<std::string> unused_settings(const SpectrumParameters& parameters, const Settings& settings);

}  // namespace kov::app
