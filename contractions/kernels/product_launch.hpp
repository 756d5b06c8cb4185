// SPDX-License-Identifier: MIT
//
// Private to product*.cpp: which kernel computes a product.  The sources product_*.cpp hold the kernels of one type
// each.
#pragma once

#include "kov/contractions/kernels/cuda/product_shapes.hpp"
#include "kov/contractions/kernels/cuda/product_tensor_tiles.hpp"
#include "kov/contractions/kernels/cuda/team_resources.hpp"
#include "kov/contractions/kernels/product_packs.hpp"
#include "kov/contractions/kernels/product_tiles.hpp"

#include <algorithm>
#include <limits>

namespace kov::detail {

/// Tiles in scratch memory with these shapes; with resources says what the kernel takes instead of launching it.
template <class Z, class Tiles>
void launch_product_tiles(const ProductProblem<Z>& problem, const Exec& exec, KernelResources* resources = nullptr) {
  using Kernel = ProductTiles<Z, Tiles>;
  static_assert(Kernel::tile_bytes <= most_tile_bytes, "too much scratch memory for a team");
  const int across = (problem.c.n_columns + Tiles::block_columns - 1) / Tiles::block_columns,
            down = (problem.c.n_rows + Tiles::block_rows - 1) / Tiles::block_rows;
  const std::int64_t n_teams = problem.batch.size() * across * down;
  require(n_teams <= std::numeric_limits<int>::max(), "a batch of", problem.batch.size(), "products is cut into",
          n_teams, "tiles, and one launch has 2^31 at most: take several batches");
  constexpr int n = Sixteen<Z>::n;
  const bool even_halves = problem.first[1] % n == 0 && problem.first[2] % n == 0,
             even_columns = problem.c.n_columns % n == 0;
  const Kernel kernel{problem,
                      across,
                      down,
                      even_halves && has_aligned_rows(problem.a),
                      even_columns && has_aligned_rows(problem.b),
                      even_columns && has_aligned_rows(problem.c)};
  const TeamShape shape{int(n_teams), Tiles::max_threads, Kernel::tile_bytes};
  if (resources)
    *resources = team_resources(shape, kernel);
  else
    for_each_team("product_tiles", shape, kernel, exec);
}

#if !defined(KOKKOS_ENABLE_CUDA)
/// On CPUs; T: what terms are added in.
template <class Z, class T = MatrixReal<Z>>
void launch_product_packs(const ProductProblem<Z>& problem, const Exec& exec) {
  using Kernel = ProductPacks<Z, T>;
  // Blocks of equal size, as many as leave no thread without work; their number changes no sum.
  const std::int64_t n_matrices = problem.batch.size();
  const int rows = problem.c.n_rows, most = (rows + Kernel::rows - 1) / Kernel::rows;
  const std::int64_t wanted = (4 * std::int64_t(exec.concurrency()) + n_matrices - 1) / n_matrices;
  const int least = (rows + Kernel::most_rows - 1) / Kernel::most_rows;
  const int n_blocks =
      n_matrices >= 2 * exec.concurrency() ? least : std::clamp(int(wanted), least, std::max(least, most));
  const int block = int(Kernel::padded((rows + n_blocks - 1) / n_blocks, Kernel::rows));
  const int row_blocks = (rows + block - 1) / block;
  const std::int64_t n_teams = n_matrices * row_blocks;
  require(n_teams <= std::numeric_limits<int>::max(), "a batch of", n_matrices,
          "products is too large for one launch: take several");
  for_each_team("product_packs", {int(n_teams), 1, Kernel::tile_bytes}, Kernel{problem, row_blocks, block}, exec);
}
#endif

/// By tensor cores.  Throws InputError where the device has none.
template <class Z, class S>
void launch_product_tensor_tiles([[maybe_unused]] const ProductProblem<Z>& problem, [[maybe_unused]] const Exec& exec,
                                 [[maybe_unused]] KernelResources* resources = nullptr) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (has_tensor_cores())
    return launch_product_tiles<Z, ProductTensorTiles<Z, typename ProductShapes<Z>::Tensor, S>>(problem, exec,
                                                                                                resources);
#endif
  refuse_tensor_cores();
}

/// By the kernels of this tiling.
template <class Z>
void launch_product(const ProductProblem<Z>& problem, ProductTiling tiling, const Exec& exec,
                    KernelResources* resources) {
  if (tiling == ProductTiling::automatic)
    tiling =
        has_packs ? ProductTiling::packs : best_tiling<Z>(problem.c.n_rows, problem.c.n_columns, problem.batch.size());
  switch (tiling) {
    case ProductTiling::tensor:
      return launch_product_tensor_tiles<Z, Z>(problem, exec, resources);
    case ProductTiling::automatic:
    case ProductTiling::packs:
    case ProductTiling::vendor:  // product.cpp has it
      break;
    default:
      return with_product_shape<Z>(
          tiling, [&]<class Shape>() { launch_product_tiles<Z, RegisterTiles<Z, Shape>>(problem, exec, resources); });
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  if (!resources) launch_product_packs(problem, exec);
#else
  throw InputError("products by packs are for CPUs, and this build is for GPUs: choose another tiling");
#endif
}

template <class Z>
void launch_product_of(const ProductProblem<Z>& problem, ProductTiling tiling, const Exec& exec,
                       KernelResources* resources) {
  launch_product(problem, tiling, exec, resources);
}

/// Sums in double take twice the registers: there are the small tiles, those of tensor cores, and those of 4 x 4
/// numbers a thread for all others.
template <class Z>
void launch_wide_product_of(const ProductProblem<Z>& problem, ProductTiling tiling, const Exec& exec) {
  using S = std::conditional_t<is_complex_number<Z>, Complex<double>, double>;
  using Shapes = ProductShapes<Z>;
  if (tiling == ProductTiling::automatic)
    tiling =
        has_packs ? ProductTiling::packs : best_tiling<Z>(problem.c.n_rows, problem.c.n_columns, problem.batch.size());
  if (tiling == ProductTiling::small)
    return launch_product_tiles<Z, RegisterTiles<Z, typename Shapes::Small, S>>(problem, exec);
  if (tiling == ProductTiling::tensor) return launch_product_tensor_tiles<Z, S>(problem, exec);
#if !defined(KOKKOS_ENABLE_CUDA)
  if (tiling == ProductTiling::packs) return launch_product_packs<Z, double>(problem, exec);
#else
  require(tiling != ProductTiling::packs,
          "products by packs are for CPUs, and this build is for GPUs: choose another tiling");
#endif
  launch_product_tiles<Z, RegisterTiles<Z, typename Shapes::Square, S>>(problem, exec);
}

}  // namespace kov::detail
