// SPDX-License-Identifier: MIT
//
// The four pictures of a smeared source.
#pragma once

#include "apps/files/measurement.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/smear/smear_options.hpp"

#include <string>

namespace kov::app {

/// PREFIX, PREFIX.radial, PREFIX.plane and PREFIX.spectrum, of the tables line, radial, plane and spectrum of a
/// SliceShape.  profile: F(p^2), drawn for comparison with the result; empty for none.  caption: markup.
/// Collective.
void draw_smearing(WrittenFiles& files, const SmearOptions& options, const Measurement& measurement,
                   const RealFunction& profile, const std::string& caption);

}  // namespace kov::app
