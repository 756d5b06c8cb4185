// SPDX-License-Identifier: MIT
//
// Correlators as rows of numbers, for statistics.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"
#include "kov/contractions/energies/resampling.hpp"

#include <vector>

namespace kov {

/// The real parts of correlators of one channel, a row each.
Samples real_parts(const std::vector<Correlator>& correlators);

}  // namespace kov
