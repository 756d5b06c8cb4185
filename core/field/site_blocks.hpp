// SPDX-License-Identifier: MIT
//
// SiteBlocks: a FieldView whose sites are runs of reals, whatever their type.  For work that treats all types alike, so
// that it is compiled once for all of them.
#pragma once

#include "kov/core/field/field_view.hpp"

namespace kov::detail {

/// The place of real k (2 * complex + im) of a lane in a block of so many lanes, as FieldView stores it.
KOKKOS_FORCEINLINE_FUNCTION constexpr int real_place(int k, int lane, int lanes) {
  return has_packs ? k * lanes + lane : ((k >> 1) * lanes + lane) * 2 + (k & 1);
}

template <class T>
struct SiteBlocks {
  T* data;  // component 0 of outer site 0
  std::ptrdiff_t stride;
  int block;  // reals of a component of an outer site

  template <class View>
  static SiteBlocks of(const View& view) {
    T* const origin = view.unchecked_address(0, 0);
    return {origin, view.unchecked_address(1, 0) - origin, View::block};
  }
  KOKKOS_FORCEINLINE_FUNCTION T* address(int outer, int component) const {
    return data + outer * stride + component * block;
  }
};

}  // namespace kov::detail
