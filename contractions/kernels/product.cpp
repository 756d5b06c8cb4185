// SPDX-License-Identifier: MIT
#include "kov/contractions/kernels/product.hpp"

#include "kov/contractions/kernels/cuda/tensor_cores.hpp"
#include "kov/contractions/kernels/product_problem.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/launch/tuned_candidate.hpp"

#include <algorithm>
#include <vector>

namespace kov {

namespace detail {

/// Matrices of a batch in one direction, and how far the next direction's are.
struct BatchDirection {
  int extent;
  std::int64_t a, b, c;
};

/// The directions that have an extent, neighbours joined where they are like one, the longest first.
template <class Z>
std::vector<BatchDirection> joined_directions(const ProductProblem<Z>& p) {
  std::vector<BatchDirection> all;
  for (int d = 0; d < batch_directions; ++d) {
    const BatchDirection next{p.batch.extents[d], p.a.strides[d], p.b.strides[d], p.c.strides[d]};
    if (next.extent == 1) continue;
    if (!all.empty()) {
      BatchDirection& last = all.back();
      if (next.a == last.extent * last.a && next.b == last.extent * last.b && next.c == last.extent * last.c) {
        last.extent *= next.extent;
        continue;
      }
    }
    all.push_back(next);
  }
  if (all.empty()) all.push_back({1, 0, 0, 0});
  std::iter_swap(all.begin(), std::max_element(all.begin(), all.end(),
                                               [](const auto& x, const auto& y) { return x.extent < y.extent; }));
  return all;
}

/// gamma_5 on both sides of a: halves of its rows and of the inner index with signs or exchanged.
template <class Z>
void multiply_halves(const ProductProblem<Z>& p, BlasProduct<Z> product, const Blas& blas, const Exec& exec) {
  if (p.gamma5 == Gamma5Fold::none) return blas.multiply(product, exec);
  const BlasProduct<Z> whole = product;
  const int half = p.first[1];
  product.m = product.k = half;
  for (int down = 0; down < 2; ++down)
    for (int range = 0; range < 2; ++range) {
      const int row = down * half, k = range * half;
      product.a.data = whole.a.data + p.row_of_a(row) * whole.a.row + k + p.column_shift(range);
      product.b.data = whole.b.data + k * whole.b.row;
      product.c.data = whole.c.data + row * whole.c.row;
      product.sign = p.gamma5 == Gamma5Fold::signs && down != range ? -1 : 1;
      product.adds = range == 1;
      blas.multiply(product, exec);
    }
}

template <class Z>
void multiply_by_blas(const ProductProblem<Z>& p, const Blas& blas, const Exec& exec) {
  require(blas.exists(), "a product by a BLAS was asked for and there is none: give one, or choose another tiling");
  const auto directions = joined_directions(p);
  const BatchDirection& along = directions.front();
  std::int64_t n_others = 1;
  for (std::size_t d = 1; d < directions.size(); ++d) n_others *= directions[d].extent;
  for (std::int64_t other = 0; other < n_others; ++other) {
    std::int64_t a = 0, b = 0, c = 0, rest = other;
    for (std::size_t d = 1; d < directions.size(); ++d) {
      const std::int64_t at = rest % directions[d].extent;
      rest /= directions[d].extent;
      a += at * directions[d].a;
      b += at * directions[d].b;
      c += at * directions[d].c;
    }
    multiply_halves(p,
                    {p.c.n_rows,
                     p.c.n_columns,
                     p.a.n_columns,
                     {p.a.data + a, p.a.row_stride, along.a},
                     {p.b.data + b, p.b.row_stride, along.b},
                     {p.c.data + c, p.c.row_stride, along.c},
                     along.extent},
                    blas, exec);
    if constexpr (is_complex_number<Z>) {
      if (!p.conjugate) continue;
      const bool whole = p.c.row_stride == p.c.n_columns;
      const std::int64_t matrix = std::int64_t(p.c.n_rows) * p.c.n_columns;
      if (whole && along.c == matrix) {
        blas.conjugate(p.c.data + c, along.extent * matrix, exec);
        continue;
      }
      for (int i = 0; i < along.extent; ++i)
        for (int row = 0; row < (whole ? 1 : p.c.n_rows); ++row)
          blas.conjugate(p.c.data + c + i * along.c + row * p.c.row_stride, whole ? matrix : p.c.n_columns, exec);
    }
  }
}

template <class Z>
void launch_product_by(ProductTiling tiling, const ProductProblem<Z>& problem, const ProductOptions& options,
                       const Exec& exec) {
  if constexpr (std::is_same_v<MatrixReal<Z>, float>)
    if (options.wide_sums) {
      require(tiling != ProductTiling::vendor, "a BLAS sums floats in float, and sums in double were asked for: choose",
              "one of them");
      return launch_wide_product_of<Z>(problem, tiling, exec);
    }
  if (tiling == ProductTiling::vendor) return multiply_by_blas(problem, options.blas, exec);
  launch_product_of<Z>(problem, tiling, exec);
}

/// A batch of so few products that its candidates are soon timed.
template <class Z>
Batch part_to_time(const ProductProblem<Z>& problem) {
  constexpr double most_flops = has_packs ? 1e9 : 2e11;
  const double flops = product_flops<Z> * problem.c.n_rows * problem.c.n_columns * std::max(problem.a.n_columns, 1);
  Batch few = problem.batch;
  for (int d = batch_directions - 1; d >= 0; --d) {
    const double others = double(few.size()) / few.extents[d];
    few.extents[d] = std::clamp(int(std::min(most_flops / flops / others, 1e9)), 1, few.extents[d]);
  }
  return few;
}

/// What the fastest tiling of a product depends on.
struct TunedProduct {
  int n_rows, n_columns, n_inner;
  std::int64_t n_matrices;  // that are timed
  Gamma5Fold gamma5;
  bool conjugate, wide, is_complex;
  std::size_t bytes;  // of a real number
  std::string blas;

  TuneKey key() const {
    TuneKey key{.kernel = "matrix product"};
    return key.add("rows", n_rows)
        .add("columns", n_columns)
        .add("inner", n_inner)
        .add("matrices", n_matrices)
        .add("gamma5", gamma5 == Gamma5Fold::none    ? "none"
                       : gamma5 == Gamma5Fold::signs ? "signs"
                                                     : "exchange")
        .add("conjugate", conjugate)
        .add("sums", wide ? "double" : "plain")
        .add("complex", is_complex)
        .add("bytes", bytes);
  }
  friend auto operator<=>(const TunedProduct&, const TunedProduct&) = default;
};

/// `part`: the problem with part_to_time().
template <class Z>
ProductTiling fastest_tiling(const TunedProduct& product, const ProductProblem<Z>& part, const ProductOptions& options,
                             const Exec& exec) {
  const bool wide = product.wide;
  std::vector<ProductTiling> candidates;
  if constexpr (has_packs) {
    candidates = {ProductTiling::packs};
  } else {
    const auto all = product_tilings();
    candidates.assign(all.begin(), all.end());
    if (wide)
      std::erase_if(candidates, [](ProductTiling t) {
        return t == ProductTiling::medium || t == ProductTiling::large || t == ProductTiling::deep;
      });
  }
  if (options.blas.exists() && !wide) candidates.push_back(ProductTiling::vendor);
  if (candidates.size() == 1) return candidates.front();
  TuneKey key = product.key();
  key.choice = "tiling";
  for (const ProductTiling tiling : candidates)
    key.choice += ' ' + (tiling == ProductTiling::vendor ? product.blas : name(tiling));
  const int fastest = tuned_candidate(
      *options.tuner, key, int(candidates.size()),
      [&](int i) { launch_product_by(candidates[std::size_t(i)], part, options, exec); },
      [&] { exec.fence("times of products"); });
  return candidates[std::size_t(fastest)];
}

template <class Z>
ProductTiling tuned_tiling(const ProductProblem<Z>& problem, const ProductOptions& options, const Exec& exec) {
  ProductProblem<Z> part = problem;
  part.batch = part_to_time(problem);
  const TunedProduct product{problem.c.n_rows,
                             problem.c.n_columns,
                             problem.a.n_columns,
                             part.batch.size(),
                             problem.gamma5,
                             problem.conjugate,
                             options.wide_sums && std::is_same_v<MatrixReal<Z>, float>,
                             is_complex_number<Z>,
                             sizeof(MatrixReal<Z>),
                             options.blas.name()};
  return options.tuner->remember<ProductTiling>(product, [&] { return fastest_tiling(product, part, options, exec); });
}

}  // namespace detail

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
    case ProductTiling::tensor:
      return "tensor";
    case ProductTiling::packs:
      return "packs";
    case ProductTiling::vendor:
      return "vendor";
  }
  return "";
}

std::span<const ProductTiling> product_tilings() {
  static constexpr ProductTiling all[] = {
      ProductTiling::small,  ProductTiling::medium, ProductTiling::large,
      ProductTiling::square, ProductTiling::deep,   has_packs ? ProductTiling::packs : ProductTiling::tensor};
  return std::span(all).first(has_packs || detail::has_tensor_cores() ? 6 : 5);
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
  const bool is_tuned = options.tiling == ProductTiling::automatic && options.tuner;
  detail::launch_product_by(is_tuned ? detail::tuned_tiling(problem, options, exec) : options.tiling, problem, options,
                            exec);
}

template <MatrixNumber Z>
KernelResources product_resources(ProductTiling tiling) {
  const Matrices<const Z> a = shared_matrix<const Z>(nullptr, 1, 1);
  KernelResources resources;
  if (tiling != ProductTiling::vendor && tiling != ProductTiling::packs)
    detail::launch_product_of<Z>({a, a, shared_matrix<Z>(nullptr, 1, 1), {}, Gamma5Fold::none, false, {0, 1, 1}},
                                 tiling, Exec(), &resources);
  return resources;
}

template KernelResources product_resources<float>(ProductTiling);
template KernelResources product_resources<double>(ProductTiling);
template KernelResources product_resources<Complex<float>>(ProductTiling);
template KernelResources product_resources<Complex<double>>(ProductTiling);
template void multiply(const Matrices<const float>&, const Matrices<const float>&, const Matrices<float>&, const Batch&,
                       const ProductOptions&, const Exec&);
template void multiply(const Matrices<const double>&, const Matrices<const double>&, const Matrices<double>&,
                       const Batch&, const ProductOptions&, const Exec&);
template void multiply(const Matrices<const Complex<float>>&, const Matrices<const Complex<float>>&,
                       const Matrices<Complex<float>>&, const Batch&, const ProductOptions&, const Exec&);
template void multiply(const Matrices<const Complex<double>>&, const Matrices<const Complex<double>>&,
                       const Matrices<Complex<double>>&, const Batch&, const ProductOptions&, const Exec&);

}  // namespace kov
