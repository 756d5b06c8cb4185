// SPDX-License-Identifier: MIT
//
// Settings of `kovariant spectrum` that were given but have no effect.
#pragma once

#include "apps/spectrum/spectrum_parameters.hpp"

namespace kov::app {

/// A warning for every setting that was given, differs from its default and has no effect with the other settings: the
/// width of another smearing, the seed when configurations are files.  Call it with complete settings.
std::vector<std::string> unused_settings(const SpectrumParameters& parameters, const Settings& settings);

}  // namespace kov::app
