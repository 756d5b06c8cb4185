// SPDX-License-Identifier: MIT
//
// Private to the files that sort, write and read correlators: reserved names and the order of labels.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"

#include <algorithm>
#include <cmath>
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
inline int compare_labels(const LabelValue& a, const LabelValue& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x && y && (std::isnan(*x) || std::isnan(*y))) return int(std::isnan(*x)) - int(std::isnan(*y));
  return a < b ? -1 : b < a ? 1 : 0;
}

inline bool is_among(std::span<const char* const> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace kov::detail
