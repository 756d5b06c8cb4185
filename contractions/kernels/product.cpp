// SPDX-License-Identifier: MIT
#include "kov/contractions/kernels/product.hpp"

#include "kov/contractions/kernels/product_problem.hpp"
#include "kov/core/base/error.hpp"

#include <limits>

namespace kov {

std::string name(ProductTiling tiling) {
  switch (tiling) {
    case ProductTiling::automatic:
      return "automatic";
    case ProductTiling::small:
      return "small";
    case ProductTiling::medium:
      return "medium";
    case ProductTiling::large:
      return "large";
    case ProductTiling::square:
      return "square";
    case ProductTiling::deep:
      return "deep";
    case ProductTiling::packs:
      return "packs";
  }
  return "";
}

std::span<const ProductTiling> product_tilings() {
  static constexpr ProductTiling all[] = {ProductTiling::small,  ProductTiling::medium, ProductTiling::large,
                                          ProductTiling::square, ProductTiling::deep,   ProductTiling::packs};
  return std::span(all).first(has_packs ? 6 : 5);
}

template <MatrixNumber Z>
void multiply(const Matrices<const Z>& a, const Matrices<const Z>& b, const Matrices<Z>& c, const Batch& batch,
              const ProductOptions& options, const Exec& exec) {
  require(a.n_rows == c.n_rows && a.n_columns == b.n_rows && b.n_columns == c.n_columns && c.n_rows >= 0 &&
              c.n_columns >= 0 && a.n_columns >= 0,
          "a product of", a.n_rows, "x", a.n_columns, "and", b.n_rows, "x", b.n_columns, "matrices cannot be stored in",
          c.n_rows, "x", c.n_columns, "ones: the shapes must fit");
  for (const int extent : batch.extents)
    require(extent >= 0, "a batch has an extent of", extent, ": it must not be negative");
  for (int d = 0; d < batch_directions; ++d)
    require(c.strides[d] != 0 || batch.extents[d] <= 1, "products of a batch would overwrite one another in direction",
            d, ": give the results a stride there");
  if (batch.size() == 0 || c.n_rows == 0 || c.n_columns == 0) return;
  require(detail::is_aligned_number(a.data) && detail::is_aligned_number(b.data) && detail::is_aligned_number(c.data),
          "a matrix begins at an address that is no multiple of", sizeof(Z),
          "bytes, the size of its numbers: views of buffers do");
  const int n = a.n_columns;
  const bool folds = options.gamma5 != Gamma5Fold::none;
  require(!folds || (a.n_rows == n && n % 2 == 0), "gamma_5 acts on both sides of a", a.n_rows, "x", n,
          "matrix: it must be square with an even number of rows, spin slow");
  const detail::ProductProblem<Z> problem{a, b, c, batch, options.gamma5, options.conjugate, {0, folds ? n / 2 : n, n}};
  if constexpr (std::is_same_v<detail::MatrixReal<Z>, float>)
    if (options.wide_sums) return detail::launch_wide_product_of<Z>(problem, options.tiling, exec);
  detail::launch_product_of<Z>(problem, options.tiling, exec);
}

template void multiply(const Matrices<const float>&, const Matrices<const float>&, const Matrices<float>&, const Batch&,
                       const ProductOptions&, const Exec&);
template void multiply(const Matrices<const double>&, const Matrices<const double>&, const Matrices<double>&,
                       const Batch&, const ProductOptions&, const Exec&);
template void multiply(const Matrices<const Complex<float>>&, const Matrices<const Complex<float>>&,
                       const Matrices<Complex<float>>&, const Batch&, const ProductOptions&, const Exec&);
template void multiply(const Matrices<const Complex<double>>&, const Matrices<const Complex<double>>&,
                       const Matrices<Complex<double>>&, const Batch&, const ProductOptions&, const Exec&);

}  // namespace kov
