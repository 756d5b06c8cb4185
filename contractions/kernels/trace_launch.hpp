// SPDX-License-Identifier: MIT
//
// Private to trace_*.cpp: which kernel computes traces.  Those sources hold the kernels of one type each.
#pragma once

#include "kov/contractions/kernels/cuda/team_resources.hpp"
#include "kov/contractions/kernels/cuda/trace_shapes.hpp"
#include "kov/contractions/kernels/trace_packs.hpp"
#include "kov/contractions/kernels/trace_parts.hpp"

#include <limits>

namespace kov::detail {

/// Sums of tiles in scratch memory by a kernel TraceTiles with these shapes; with resources says what the kernel takes
/// instead of launching it.
template <class Z, class Tiles>
void launch_trace_tiles(const TraceParts<Z>& parts, const Exec& exec, KernelResources* resources) {
  using Kernel = TraceTiles<Z, Tiles>;
  static_assert(Kernel::tile_bytes <= most_tile_bytes, "too much scratch memory for a team");
  const TraceProblem<Z>& problem = parts.problem;
  const int down = (problem.n_left + Tiles::most_left - 1) / Tiles::most_left,
            across = (problem.n_right + Tiles::most_right - 1) / Tiles::most_right;
  const std::int64_t n_teams = std::int64_t(down) * across * parts.n_splits * problem.n_pairs;
  require(n_teams <= std::numeric_limits<int>::max(), "traces of", problem.n_pairs,
          "pairs are too many for one launch: take several");
  constexpr int n = Sixteen<Z>::n;
  const auto is_aligned = [](const Z* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  const bool wide = problem.length % n == 0 && problem.left_stride % n == 0 && problem.right_stride % n == 0 &&
                    is_aligned(problem.left) && is_aligned(problem.right);
  const TeamShape shape{int(n_teams), Tiles::max_threads, Kernel::tile_bytes};
  const Kernel kernel{problem, parts.data, parts.n_splits, down, across, wide};
  if (resources)
    *resources = team_resources(shape, kernel);
  else
    for_each_team("trace_tiles", shape, kernel, exec);
}

#if !defined(KOKKOS_ENABLE_CUDA)
/// On CPUs; T: what terms are added in.
template <class Z, class T>
void launch_trace_packs(const TraceParts<Z>& parts, const Exec& exec) {
  using Kernel = TracePacks<Z, T>;
  const TraceProblem<Z>& problem = parts.problem;
  const int down = (problem.n_left + Kernel::most - 1) / Kernel::most,
            across = (problem.n_right + Kernel::most - 1) / Kernel::most;
  const std::int64_t n_teams = std::int64_t(down) * across * parts.n_splits * problem.n_pairs;
  require(n_teams <= std::numeric_limits<int>::max(), "traces of", problem.n_pairs,
          "pairs are too many for one launch: take several");
  for_each_team("trace_packs", {int(n_teams), 1, Kernel::tile_bytes},
                Kernel{problem, parts.data, parts.n_splits, down, across}, exec);
}
#endif

/// By tensor cores.  Throws InputError where the device has none.
template <class Z, class S, class Shape>
void launch_trace_tensor_tiles([[maybe_unused]] const TraceParts<Z>& parts, [[maybe_unused]] const Exec& exec,
                               [[maybe_unused]] KernelResources* resources) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (has_tensor_cores()) return launch_trace_tiles<Z, TraceTensorTiles<Z, S, Shape>>(parts, exec, resources);
#endif
  refuse_tensor_cores();
}

/// By the kernels of this tiling; S: the complex or real type of the sums.
template <class Z, class S>
void launch_traces(const TraceParts<Z>& parts, TraceTiling tiling, const Exec& exec, KernelResources* resources) {
  using Shapes = TraceShapes<Z, S>;
  using TensorShapes = TraceTensorShapes<S>;
  switch (tiling) {
    case TraceTiling::of4:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of4>>(parts, exec, resources);
    case TraceTiling::of8:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of8>>(parts, exec, resources);
    case TraceTiling::of12:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of12>>(parts, exec, resources);
    case TraceTiling::of16:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of16>>(parts, exec, resources);
    case TraceTiling::of18:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of18>>(parts, exec, resources);
    case TraceTiling::of24:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of24>>(parts, exec, resources);
    case TraceTiling::of32:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of32>>(parts, exec, resources);
    case TraceTiling::of33:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of33>>(parts, exec, resources);
    case TraceTiling::of48:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of48>>(parts, exec, resources);
    case TraceTiling::of64:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of64>>(parts, exec, resources);
    case TraceTiling::of65:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of65>>(parts, exec, resources);
    case TraceTiling::of33_square:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of33Square>>(parts, exec, resources);
    case TraceTiling::of65_square:
      return launch_trace_tiles<Z, TraceRegisterTiles<Z, S, typename Shapes::Of65Square>>(parts, exec, resources);
    case TraceTiling::tensor8:
      return launch_trace_tensor_tiles<Z, S, typename TensorShapes::Tensor8>(parts, exec, resources);
    case TraceTiling::tensor16:
      return launch_trace_tensor_tiles<Z, S, typename TensorShapes::Tensor16>(parts, exec, resources);
    case TraceTiling::tensor32:
      return launch_trace_tensor_tiles<Z, S, typename TensorShapes::Tensor32>(parts, exec, resources);
    case TraceTiling::tensor48:
      return launch_trace_tensor_tiles<Z, S, typename TensorShapes::Tensor48>(parts, exec, resources);
    case TraceTiling::tensor64:
      return launch_trace_tensor_tiles<Z, S, typename TensorShapes::Tensor64>(parts, exec, resources);
    case TraceTiling::automatic:
    case TraceTiling::packs:
    case TraceTiling::vendor:  // trace.cpp has it
      break;
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  if (!resources) launch_trace_packs<Z, MatrixReal<S>>(parts, exec);
#else
  throw InputError("traces by packs are for CPUs, and this build is for GPUs: choose another tiling");
#endif
}

/// How long the parts are that a CPU cuts its sums into; 1 on GPUs, where it is not asked for.
template <class Z, bool wide>
std::int64_t pack_part_length() {
#if !defined(KOKKOS_ENABLE_CUDA)
  return TracePacks<Z, std::conditional_t<wide, double, MatrixReal<Z>>>::part_length;
#else
  return 1;
#endif
}

/// wide: sums of floats in double.
template <class Z, bool wide>
void launch_traces_of(const TraceParts<Z>& parts, TraceTiling tiling, const Exec& exec, KernelResources* resources) {
  launch_traces<Z, std::conditional_t<wide, Complex<double>, Z>>(parts, tiling, exec, resources);
}

}  // namespace kov::detail
