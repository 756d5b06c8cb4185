// SPDX-License-Identifier: MIT
//
// Correlators from HDF5.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kov {

/// Reads what write_correlators wrote, and files of version 1, whose labels are all texts.  Throws FormatError when the
/// file is something else.
std::vector<Correlator> read_correlators(const std::filesystem::path& path);

}  // namespace kov
