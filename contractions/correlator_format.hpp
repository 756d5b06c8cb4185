// SPDX-License-Identifier: MIT
//
// Private to the files that write and read correlators: names that both sides know.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace kov::detail {

inline constexpr const char* correlator_format = "kovariant correlators";

/// Groups of a file that are no kinds of correlators.
inline constexpr const char* correlator_groups[] = {"axes", "inputs", "parameters", "solves"};

/// Attributes of a dataset that are no labels.
inline constexpr const char* correlator_attributes[] = {"momenta",        "source", "DIMENSION_LABELS", "CLASS",
                                                        "DIMENSION_LIST", "NAME",   "REFERENCE_LIST"};

inline bool is_among(std::span<const char* const> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace kov::detail
