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

#if defined(KOKKOS_ENABLE_CUDA)
template <class Z, class S, class Shape>
using TensorTilesOrNone = TraceTensorTiles<Z, S, Shape>;
#else
/// Where there are no tensor cores.
template <class Z, class S, class Shape>
struct TensorTilesOrNone {
  static constexpr int min_teams = Shape::min_teams;
};
#endif

/// f.template operator()<Tiles>() with the tiles of this tiling, which has some; S: the complex or real type of the
/// sums.
template <class Z, class S, class F>
auto with_trace_tiles(TraceTiling tiling, const F& f) {
  using Shapes = TraceShapes<Z, S>;
  using TensorShapes = TraceTensorShapes<S>;
  const auto registers = [&]<class Shape>() { return f.template operator()<TraceRegisterTiles<Z, S, Shape>>(); };
  const auto tensor = [&]<class Shape>() { return f.template operator()<TensorTilesOrNone<Z, S, Shape>>(); };
  switch (tiling) {
    case TraceTiling::of4:
      return registers.template operator()<typename Shapes::Of4>();
    case TraceTiling::of8:
      return registers.template operator()<typename Shapes::Of8>();
    case TraceTiling::of12:
      return registers.template operator()<typename Shapes::Of12>();
    case TraceTiling::of16:
      return registers.template operator()<typename Shapes::Of16>();
    case TraceTiling::of18:
      return registers.template operator()<typename Shapes::Of18>();
    case TraceTiling::of24:
      return registers.template operator()<typename Shapes::Of24>();
    case TraceTiling::of32:
      return registers.template operator()<typename Shapes::Of32>();
    case TraceTiling::of33:
      return registers.template operator()<typename Shapes::Of33>();
    case TraceTiling::of48:
      return registers.template operator()<typename Shapes::Of48>();
    case TraceTiling::of64:
      return registers.template operator()<typename Shapes::Of64>();
    case TraceTiling::of65:
      return registers.template operator()<typename Shapes::Of65>();
    case TraceTiling::of33_square:
      return registers.template operator()<typename Shapes::Of33Square>();
    case TraceTiling::of65_square:
      return registers.template operator()<typename Shapes::Of65Square>();
    case TraceTiling::tensor8:
      return tensor.template operator()<typename TensorShapes::Tensor8>();
    case TraceTiling::tensor16:
      return tensor.template operator()<typename TensorShapes::Tensor16>();
    case TraceTiling::tensor32:
      return tensor.template operator()<typename TensorShapes::Tensor32>();
    case TraceTiling::tensor48:
      return tensor.template operator()<typename TensorShapes::Tensor48>();
    case TraceTiling::tensor64:
      return tensor.template operator()<typename TensorShapes::Tensor64>();
    case TraceTiling::automatic:
    case TraceTiling::packs:
    case TraceTiling::vendor:
      break;
  }
  throw Error("this tiling of traces has no tiles");
}

/// By the kernels of this tiling.  Throws InputError where the device does not have them.
template <class Z, class S>
void launch_traces(const TraceParts<Z>& parts, TraceTiling tiling, const Exec& exec, KernelResources* resources) {
  if (tiling != TraceTiling::packs)
    return with_trace_tiles<Z, S>(tiling, [&]<class Tiles>() {
      if constexpr (requires { Tiles::depth; }) {
        if (!Tiles::by_tensor_cores || has_tensor_cores()) return launch_trace_tiles<Z, Tiles>(parts, exec, resources);
      }
      refuse_tensor_cores();
    });
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
using TraceSum = std::conditional_t<wide, Complex<double>, Z>;

template <class Z, bool wide>
void launch_traces_of(const TraceParts<Z>& parts, TraceTiling tiling, const Exec& exec, KernelResources* resources) {
  launch_traces<Z, TraceSum<Z, wide>>(parts, tiling, exec, resources);
}
template <class Z, bool wide>
int trace_teams(TraceTiling tiling) {
  return with_trace_tiles<Z, TraceSum<Z, wide>>(
      tiling, [&]<class Tiles>() { return Tiles::min_teams > 1 ? Tiles::min_teams : trace_teams_unless_stated; });
}

}  // namespace kov::detail
