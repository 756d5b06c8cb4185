// SPDX-License-Identifier: MIT
//
// Loops of a few iterations that are unrolled before the compiler decides what is kept in registers.
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

/// Calls f(0), ..., f(n - 1).  GCC unrolls a plain loop only after it has placed arrays in memory, so that the sums of
/// a site kernel go through the stack.  The same happens if f is not inlined at once, so write it as
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
