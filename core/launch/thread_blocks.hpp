// SPDX-License-Identifier: MIT
//
// Launches of kernels over sites: on a GPU in thread blocks of the size that the kernel states, elsewhere in plain
// parallel loops.
#pragma once

#include "kov/core/lattice/site.hpp"
#include "kov/core/launch/for_each_item.hpp"
#include "kov/core/launch/launch_shape.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

namespace kov::detail {

/// How many consecutive time slices a block of threads should process (walk through), if a slice takes slice_blocks and
/// `resident` blocks run at a time.  Minimises waves of blocks times (length of a walk + 1): the 1 is the cost of
/// starting a walk with slices that are not in cache.  `wanted` > 0 is taken instead, up to all slices.  Walks are
/// longer where a launch could not have as many: most_walks, at least 1.
int walk_length(int n_slices, int slice_blocks, int resident, int most_walks, int wanted = 0);

/// What a GPU needs to know of a kernel: it runs in blocks of max_threads threads, or fewer on lattices that are too
/// small to fill the GPU; the compiler limits registers so that min_blocks of the largest fit on a multiprocessor; and
/// reaches_in_time says whether it reads neighbours in t.
template <int max_threads_, int min_blocks_, bool reaches_in_time_>
struct StatedBlocks {
  static constexpr int max_threads = max_threads_, min_blocks = min_blocks_;
  static constexpr bool reaches_in_time = reaches_in_time_;
};

/// A specialisation derives from StatedBlocks; it stands in the folder cuda/ beside the kernel.  Kernels without one
/// run in blocks of Kokkos' choice.  One with a member type OfSeveral states other blocks for several components, whose
/// warps then share more of what all components of a site read.  One with a member type OfPlanes, of a kernel that
/// reads no neighbours in t, states those for several components that walk through planes of constant z and t.
template <class Kernel>
struct ThreadBlocks {};

template <class Kernel>
concept HasBlocks = requires {
  ThreadBlocks<Kernel>::max_threads;
};

/// The blocks of a launch: those of several components where the functor has them, if the kernel states them.
template <class Kernel, class Functor>
struct BlocksOfLaunch {
  using type = ThreadBlocks<Kernel>;
};
template <class Kernel, class Functor>
requires(!Functor::one_component &&
         requires { typename ThreadBlocks<Kernel>::OfSeveral; }) struct BlocksOfLaunch<Kernel, Functor> {
  using type = typename ThreadBlocks<Kernel>::OfSeveral;
};

/// Whether blocks of this kernel walk through time slices, if the sites are those of slices.
template <class Kernel, class Functor>
concept Walks = HasBlocks<Kernel> &&(ThreadBlocks<Kernel>::reaches_in_time || Functor::one_component);
/// Whether they walk through planes of constant z and t, if there are planes.
template <class Kernel, class Functor>
concept WalksPlanes = !Walks<Kernel, Functor> && requires(const Functor& functor) {
  typename ThreadBlocks<Kernel>::OfPlanes;
  functor.by_planes();
};

#if defined(KOKKOS_ENABLE_CUDA)
template <int threads, int min_blocks, class Functor>
__global__ void __launch_bounds__(threads, min_blocks) run_blocks(const __grid_constant__ Functor functor, int n) {
  const int i = int(blockIdx.x) * int(blockDim.x) + int(threadIdx.x);
  if (i < n) functor(i);
}

template <int threads, int min_blocks, class Functor>
__global__ void __launch_bounds__(threads, min_blocks)
    walk_blocks(const __grid_constant__ Functor functor, int n, int length, int n_slices) {
  const int i = int(blockIdx.x) * int(blockDim.x) + int(threadIdx.x), begin = int(blockIdx.y) * length;
  if (i >= n) return;
  const int end = begin + length < n_slices ? begin + length : n_slices;
#pragma unroll 1
  for (int t = begin; t < end; ++t) functor(i, t);
}

template <int threads, int min_blocks, class Kernel>
__global__ void __launch_bounds__(threads, min_blocks) run_whole_blocks(const __grid_constant__ Kernel kernel) {
  kernel();
}

/// Calls kernel() by every thread of a grid of blocks of max_threads threads, as ThreadBlocks states them for the
/// kernel: for work of a whole block, whose threads share memory and wait for each other.  Asynchronous.
template <class Kernel>
void for_each_thread_block(const std::string& name, dim3 grid, const Kernel& kernel, const Kokkos::Cuda& exec) {
  constexpr int threads = ThreadBlocks<Kernel>::max_threads;
  launch_blocks(name, run_whole_blocks<threads, ThreadBlocks<Kernel>::min_blocks, Kernel>, grid, threads, exec, kernel);
}
#endif

/// parallel_for, but in blocks as ThreadBlocks states them for the kernel, if it does.
template <class Kernel, class Functor>
void launch(const std::string& name, int n, const Functor& functor, const Exec& exec, const LaunchShape& shape = {}) {
  if (n == 0) return;
  if constexpr (is_host_v<Exec>) {
    share_items(name, n, shape, &run_items<Functor>, &functor, exec);
#if defined(KOKKOS_ENABLE_CUDA)
  } else if constexpr (HasBlocks<Kernel>) {
    using Blocks = typename BlocksOfLaunch<Kernel, Functor>::type;
    constexpr int most = Blocks::max_threads;
    const int threads = shape.threads(block_threads(n, most, exec));
    launch_blocks(name, run_blocks<most, Blocks::min_blocks, Functor>, dim3(unsigned((n + threads - 1) / threads)),
                  threads, exec, functor, n);
#endif
  } else {
    for_each_item(name, n, functor, exec);
  }
}

#if defined(KOKKOS_ENABLE_CUDA)
/// Calls functor(i, s) for n items i of each of n_slices time slices or planes s, in blocks that walk through several
/// of them.
template <class Blocks, class Functor>
void launch_walks(const std::string& name, int n, int n_slices, const Functor& functor, const Exec& exec,
                  const LaunchShape& shape) {
  constexpr int most = Blocks::max_threads;
  const auto walk = walk_blocks<most, Blocks::min_blocks, Functor>;
  static const int on_each = [&] {
    int blocks = 1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk, most, 0);
    return blocks;
  }();
  const int threads = shape.threads(block_threads(std::int64_t(n) * n_slices, most, exec)),
            slice_blocks = (n + threads - 1) / threads;
  const cudaDeviceProp& device = exec.cuda_device_prop();
  const int length =
      walk_length(n_slices, slice_blocks, on_each * device.multiProcessorCount, device.maxGridSize[1], shape.walk);
  const dim3 grid(unsigned(slice_blocks), unsigned((n_slices + length - 1) / length));
  launch_blocks(name, walk, grid, threads, exec, functor, n, length, n_slices);
}
#endif

/// Runs a functor over the lanes and components of a range of sites.  On GPUs, for a kernel that states its blocks, a
/// block walks through several time slices: data shared by neighbours in t then stays on one multiprocessor
/// (docs/performance.md).  Kernels on several components that read no neighbours in t walk through planes of constant z
/// and t likewise, where they say so; fields of one parity do not walk.
template <class Kernel, class Functor>
void launch_lanes(const std::string& name, int lanes, const Functor& functor, const Exec& exec,
                  const LaunchShape& shape = {}) {
  const SiteRange& range = functor.range;
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (Walks<Kernel, Functor>) {
    using Blocks = typename BlocksOfLaunch<Kernel, Functor>::type;
    if (range.n_slices > 0)
      return launch_walks<Blocks>(name, 2 * range.slice * lanes * functor.n_components, range.n_slices, functor, exec,
                                  shape);
  } else if constexpr (WalksPlanes<Kernel, Functor>) {
    using Blocks = typename ThreadBlocks<Kernel>::OfPlanes;
    if (range.has_planes())
      return launch_walks<Blocks>(name, 2 * range.plane() * lanes * functor.n_components, range.n_planes(),
                                  functor.by_planes(), exec, shape);
  }
#endif
  launch<Kernel>(name, range.n_outer * lanes * functor.n_components, functor, exec, shape);
}

}  // namespace kov::detail
