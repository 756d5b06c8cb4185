// SPDX-License-Identifier: MIT
//
// Private to what keeps fields to work in and applies operators to fewer columns than these have.
#pragma once

namespace kov::detail {

/// The columns of a field to work in, a Field or Vector, that n columns in packs of `width` take: the first ones or,
/// where their last pack is not full, the last ones, as such a pack must be the last one in memory too.
template <class F>
F columns_to_work_in(const F& field, int n, int width) {
  return field.components(n % width == 0 ? 0 : field.n_components() - n, n);
}

}  // namespace kov::detail
