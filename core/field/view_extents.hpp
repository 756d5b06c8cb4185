// SPDX-License-Identifier: MIT
//
// The bounds that views check accesses against if Kokkos was built with bounds checks, which the preset debug requires.
// In other builds the class is empty and checks nothing.
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <string_view>

namespace kov::detail {

#if defined(KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
inline constexpr bool checks_bounds = true;
#else
inline constexpr bool checks_bounds = false;
#endif

/// limit() says what a view covers: outer sites from first on, components and lanes, and the name of its field for
/// messages.  check() refuses what is outside.
template <bool checks>
struct ViewExtents {
  void limit(int, int, int, int, std::string_view) {}
  KOKKOS_FORCEINLINE_FUNCTION void check(int, int, int = 0) const {}
};

/// On hosts; on GPUs everything passes.
template <>
struct ViewExtents<true> {
  void limit(int first, int n_outer, int n_components, int n_lanes, std::string_view name) {
    first_ = first;
    n_outer_ = n_outer;
    n_components_ = n_components;
    n_lanes_ = n_lanes;
    for (std::size_t i = 0; i + 1 < sizeof(name_); ++i) name_[i] = i < name.size() ? name[i] : '\0';
  }
  KOKKOS_FORCEINLINE_FUNCTION void check(int outer, int component, int lane = 0) const {
    KOKKOS_IF_ON_HOST((if (n_outer_ >= 0 && !holds(outer, component, lane)) refuse(outer, component, lane);))
  }

 private:
  bool holds(int outer, int component, int lane) const {
    return outer >= first_ && outer - first_ < n_outer_ && component >= 0 && component < n_components_ && lane >= 0 &&
           lane < n_lanes_;
  }
  /// Throws InputError; thrown out of a kernel, it ends the program with its message.
  [[noreturn]] void refuse(int outer, int component, int lane) const;

  int first_ = 0, n_outer_ = -1, n_components_ = 0, n_lanes_ = 0;
  char name_[48] = {};  // a copy, as the field may be gone
};

}  // namespace kov::detail
