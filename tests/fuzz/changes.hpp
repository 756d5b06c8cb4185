// SPDX-License-Identifier: MIT
//
// Inputs of fuzz targets: a seed changed in a few places by random numbers that the input's number alone determines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kov::fuzz {

std::string changed_input(const std::vector<std::string>& seeds, std::uint64_t number);

}  // namespace kov::fuzz
