// SPDX-License-Identifier: MIT
//
// Sums over the slices of a lattice of numbers that were stored site by site.  Not for users.
#pragma once

#include "kov/core/vectors/reduce.hpp"

#include <vector>

namespace kov::detail {

/// values[k * n_lanes + slot], k < n, slot counting the lanes of a subset, zero on padding, as StoreValues leaves them.
/// Returns [slice of the whole lattice][k], on every rank.  Collective, fences.
std::vector<double> sum_slices(const Lattice& lattice, Subset subset, int direction, int n,
                               const Buffer<double>& values, SumMode mode);

}  // namespace kov::detail
