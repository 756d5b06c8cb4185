// SPDX-License-Identifier: MIT
//
// Private to the kernels of this room: what a GPU has for a kernel that is run by teams, and tells of it.
#pragma once

#include "kov/contractions/kernels/matrices.hpp"
#include "kov/core/base/queue.hpp"
#include "kov/core/launch/for_each_team.hpp"

namespace kov::detail {

/// Of the 48 KB of scratch memory that GPUs have for a team; Kokkos takes a double for each thread of it.
inline constexpr std::size_t most_tile_bytes = 44 * 1024;

/// Of this kernel in teams of this shape.  Zeros on hosts, and where Kokkos does not say which function it launches.
template <class Kernel>
KernelResources team_resources([[maybe_unused]] const TeamShape& shape, [[maybe_unused]] const Kernel& kernel) {
  KernelResources r;
#if defined(KOKKOS_ENABLE_CUDA)
  using Policy = TeamPolicyOf<Kernel, Exec>;
  using Closure = Kokkos::Impl::ParallelFor<TeamFunctor<Kernel, Exec>, Policy, Exec>;
  using Launch = Kokkos::Impl::CudaParallelLaunch<Closure, typename Policy::launch_bounds>;
  if constexpr (requires { Launch::get_kernel_func(); }) {
    const auto function = Launch::get_kernel_func();
    cudaFuncAttributes attributes{};
    // What Kokkos takes of scratch memory beside the tiles.
    const std::size_t scratch = shape.tile_bytes + tile_alignment + sizeof(double) * std::size_t(shape.threads + 2);
    int teams = 0;
    if (cudaFuncGetAttributes(&attributes, function) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&teams, function, shape.threads, scratch) != cudaSuccess) {
      cudaGetLastError();  // or the next launch would report this as its own
      return r;
    }
    const cudaDeviceProp& device = Exec().cuda_device_prop();
    r.registers = attributes.numRegs;
    r.spilled_bytes = int(attributes.localSizeBytes);
    r.threads = shape.threads;
    r.teams = teams;
    r.tile_bytes = shape.tile_bytes;
    r.occupancy = double(teams) * shape.threads / device.maxThreadsPerMultiProcessor;
  }
#endif
  return r;
}

}  // namespace kov::detail
