// SPDX-License-Identifier: MIT
//
// Private to product_launch.hpp: the shapes of tiles of products on GPUs.  All tiles of a team take most_tile_bytes
// or less.
#pragma once

#include "kov/contractions/kernels/cuda/product_tensor_tiles.hpp"
#include "kov/contractions/kernels/product.hpp"
#include "kov/contractions/kernels/product_tiles.hpp"

namespace kov::detail {

/// Of numbers of 4 or 8 bytes.  Block rows, block columns, depth; rows and columns of a thread; stages; lanes_x; teams
/// on a multiprocessor.
template <class Z>
struct ProductShapes {
  static constexpr int n = Sixteen<Z>::n;
  using Small = ProductShape<32, 32, 4 * (n / 4 + 1), 2, 4, 2, 4, 4>;
  using Medium = ProductShape<64, 64, 8, 4, 8, 2, 4, 2>;
  using Large = ProductShape<128, 128, 8, 8, 8, 2, 4, 1>;
  using Square = ProductShape<64, 64, 16, 4, 4, 2, 8, 2>;
  using Deep = ProductShape<64, 64, 8, 8, 4, 3, 4, 3>;
  using Tensor = std::conditional_t<is_complex_number<Z>, ProductTensorShape<64, 64, 8, 2, 2, 3, 2>,
                                    ProductTensorShape<64, 64, 16, 2, 2, 2, 2>>;
};
/// Of numbers of 16 bytes.
template <>
struct ProductShapes<Complex<double>> {
  using Small = ProductShape<32, 32, 4, 2, 4, 2, 4, 2>;
  using Medium = ProductShape<64, 64, 4, 4, 8, 2, 4, 1>;
  using Large = ProductShape<128, 64, 4, 8, 4, 2, 4, 1>;
  using Square = ProductShape<64, 64, 8, 4, 4, 2, 8, 1>;
  using Deep = ProductShape<64, 64, 4, 4, 4, 3, 4, 2>;
  using Tensor = ProductTensorShape<64, 64, 8, 2, 2, 2, 1>;
};

/// f.template operator()<Shape>() with the shape of a tiling whose tiles are in registers.  Throws InputError for
/// others.
template <class Z, class F>
auto with_product_shape(ProductTiling tiling, const F& f) {
  using Shapes = ProductShapes<Z>;
  switch (tiling) {
    case ProductTiling::small:
      return f.template operator()<typename Shapes::Small>();
    case ProductTiling::medium:
      return f.template operator()<typename Shapes::Medium>();
    case ProductTiling::large:
      return f.template operator()<typename Shapes::Large>();
    case ProductTiling::square:
      return f.template operator()<typename Shapes::Square>();
    case ProductTiling::deep:
      return f.template operator()<typename Shapes::Deep>();
    default:
      throw InputError("products by " + name(tiling) + " have no tiles in registers: choose another tiling");
  }
}

/// Tensor cores where there are some, whatever the number of products, which must not change a bit of one of them; the
/// other tilings add in the same order and are chosen by their number of tiles: large ones read memory least, and too
/// few of them leave multiprocessors without work.
template <class Z>
ProductTiling best_tiling(int n_rows, int n_columns, std::int64_t n_matrices) {
  const auto tiles = [&](std::int64_t size) {
    return (n_rows + size - 1) / size * ((n_columns + size - 1) / size) * n_matrices;
  };
  constexpr int multiprocessors = 128;
  if (n_rows <= 32 || n_columns <= 32) return ProductTiling::small;
  if (has_tensor_cores()) return ProductTiling::tensor;
  if (tiles(64) < multiprocessors) return ProductTiling::small;
  if (std::is_same_v<Z, Complex<double>>) return ProductTiling::medium;
  if (tiles(128) < 2 * multiprocessors) return ProductTiling::square;
  return ProductTiling::large;
}

}  // namespace kov::detail
