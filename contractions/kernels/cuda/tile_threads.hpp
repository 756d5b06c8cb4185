// SPDX-License-Identifier: MIT
//
// Private to the kernels of this room: what lets one source of a tiled kernel be run by the threads of a GPU's team, or
// by the single thread of a CPU's team in place of them all; and copies into tiles, which GPUs make while they compute.
#pragma once

#include "kov/core/launch/for_each_team.hpp"

#include <Kokkos_Macros.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda_pipeline.h>
#endif

namespace kov::detail {

/// f(0), ..., f(n - 1), unrolled on GPUs, where arrays with known indices are registers.
template <int n, class F>
KOKKOS_FORCEINLINE_FUNCTION void repeat(const F& f) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int i = 0; i < n; ++i) f(i);
}

/// What the threads of a team keep between two barriers.
template <int most_threads, class State>
class TileThreads {
 public:
  /// Calls f(thread, its state) for n_threads threads: on a GPU by each of them, elsewhere one after another.
  template <class TeamT, class F>
  KOKKOS_FORCEINLINE_FUNCTION void each([[maybe_unused]] const TeamT& team, [[maybe_unused]] int n_threads,
                                        const F& f) {
#if defined(__CUDA_ARCH__)
    f(team.thread(), state_[0]);
#else
    for (int thread = 0; thread < n_threads; ++thread) f(thread, state_[thread]);
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  State state_[1];
#else
  State state_[most_threads];
#endif
};

/// Sixteen bytes of numbers, which are loaded at once.
template <class Z>
struct alignas(16) Sixteen {
  static constexpr int n = int(16 / sizeof(Z));
  Z z[n];
};
template <class Z>
KOKKOS_FORCEINLINE_FUNCTION Sixteen<Z> load_sixteen(const Z* p) {
  return *reinterpret_cast<const Sixteen<Z>*>(p);
}

/// Starts a copy of N = Sixteen<Z> or Z into a tile, zeros if there is nothing to copy; it is there after
/// wait_for_copies().  Since compute capability 8.0 the second-level cache loads the 256 bytes around it, for the
/// copies that follow.
template <class N>
KOKKOS_FORCEINLINE_FUNCTION void start_tile_copy(void* to, const void* from, bool exists) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  static_assert(sizeof(N) == 4 || sizeof(N) == 8 || sizeof(N) == 16);
  const auto tile = unsigned(__cvta_generic_to_shared(to));
  const unsigned bytes = exists ? unsigned(sizeof(N)) : 0;
  if constexpr (sizeof(N) == 16)
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(tile), "l"(from), "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], %2, %3;" ::"r"(tile), "l"(from), "n"(sizeof(N)),
                 "r"(bytes)
                 : "memory");
#elif defined(__CUDA_ARCH__)
  __pipeline_memcpy_async(to, from, sizeof(N), exists ? 0 : sizeof(N));
#else
  if (exists)
    *static_cast<N*>(to) = *static_cast<const N*>(from);
  else
    *static_cast<N*>(to) = N{};
#endif
}
/// Ends a group of copies of this thread.
KOKKOS_FORCEINLINE_FUNCTION void end_copy_group() {
#if defined(__CUDA_ARCH__)
  __pipeline_commit();
#endif
}
/// Waits for all groups of this thread but the last n.
template <int n>
KOKKOS_FORCEINLINE_FUNCTION void wait_for_copies() {
#if defined(__CUDA_ARCH__)
  __pipeline_wait_prior(n);
#endif
}

}  // namespace kov::detail
