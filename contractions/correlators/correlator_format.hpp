// SPDX-License-Identifier: MIT
//
// Private to the files that sort, write and read correlators: what they all know of labels and names.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"

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

/// Below, at or above 0 as label a comes before, with or after b.  NaN is one value, behind all other numbers: < would
/// take it for equal to every one of them.
int compare_labels(const LabelValue& a, const LabelValue& b);

inline bool is_among(std::span<const char* const> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace kov::detail
