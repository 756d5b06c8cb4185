// SPDX-License-Identifier: MIT
//
// Loops of a few turns that are gone before the compiler decides what lives in registers.
#pragma once

#include <Kokkos_Macros.hpp>

#include <utility>

namespace kov {

namespace detail {
template <class F, int... i>
KOKKOS_FORCEINLINE_FUNCTION void unroll(const F& f, std::integer_sequence<int, i...>) {
  (f(i), ...);
}
}  // namespace detail

/// f(0), ..., f(n - 1).  GCC unrolls a plain loop after it has given arrays their place in memory: the sums of a site
/// kernel then go through the stack.  So they do where it does not inline f at once: write
/// [&](int i) __attribute__((always_inline)) { ... }.
template <int n, class F>
KOKKOS_FORCEINLINE_FUNCTION void unroll(const F& f) {
#if defined(__CUDA_ARCH__)
#pragma unroll
  for (int i = 0; i < n; ++i) f(i);
#else
  detail::unroll(f, std::make_integer_sequence<int, n>{});
#endif
}

}  // namespace kov
