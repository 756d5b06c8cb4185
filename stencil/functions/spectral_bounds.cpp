// SPDX-License-Identifier: MIT
#include "kov/stencil/functions/spectral_bounds.hpp"

#include "kov/core/field/noise.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kov {

namespace detail {

namespace {

/// Eigenvalues below x: the negative terms of the Sturm sequence.
int eigenvalues_below(const std::vector<double>& diagonal, const std::vector<double>& off, double x) {
  const double tiny = std::numeric_limits<double>::min();
  int count = 0;
  double pivot = 1;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double coupling = i > 0 ? off[i - 1] * off[i - 1] : 0;
    pivot = diagonal[i] - x - coupling / pivot;
    if (std::abs(pivot) < tiny) pivot = -tiny;
    count += pivot < 0;
  }
  return count;
}

}  // namespace

double tridiagonal_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& off, int k) {
  // Gershgorin's discs.
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double reach = (i > 0 ? std::abs(off[i - 1]) : 0) + (i + 1 < diagonal.size() ? std::abs(off[i]) : 0);
    low = std::min(low, diagonal[i] - reach);
    high = std::max(high, diagonal[i] + reach);
  }
  const double resolution = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(low), std::abs(high));
  while (high - low > resolution) {
    const double middle = 0.5 * (low + high);
    (eigenvalues_below(diagonal, off, middle) > k ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

double tridiagonal_last_component(const std::vector<double>& diagonal, const std::vector<double>& off, int k) {
  // The square is prod_j (lambda_k - mu_j) / prod_{j != k} (lambda_k - lambda_j), mu the eigenvalues without the last
  // row and column, which interlace: pairs make every ratio at most 1, and a pair of ghosts (0 / 0) counts as 1.
  const int n = int(diagonal.size());
  const std::vector<double> shorter(diagonal.begin(), diagonal.end() - 1),
      shorter_off(off.begin(), off.begin() + std::max(0, n - 2));
  const double value = tridiagonal_eigenvalue(diagonal, off, k);
  double square = 1;
  for (int j = 0; j + 1 < n; ++j) {
    const double top = std::abs(value - tridiagonal_eigenvalue(shorter, shorter_off, j)),
                 bottom = std::abs(value - tridiagonal_eigenvalue(diagonal, off, j < k ? j : j + 1));
    if (top < bottom) square *= top / bottom;
  }
  return std::sqrt(square);
}

}  // namespace detail

template <template <class> class SiteT, class T>
Interval spectral_bounds(const AnyOperator<Field<SiteT, T>>& A, const Field<SiteT, T>& shape,
                         const LanczosBounds& options) {
  shape.lattice().require_same("the search of a spectrum", options.steps, options.seed);
  require(options.steps >= 2, options.steps, "Lanczos steps find no bounds: give two or more");
  // Three buffers that take turns.
  Field<SiteT, T> v = shape.like("Lanczos vector"), w = v.like("next Lanczos vector"),
                  u = v.like("last Lanczos vector");
  fill_noise(v, {.kind = NoiseKind::gaussian, .seed = options.seed, .stream = 0});
  scale(1 / std::sqrt(norm2(v)), v);
  std::vector<double> alpha, beta;
  double residual = 0, scale_of_A = 0;
  for (int k = 0; k < options.steps; ++k) {
    A.apply(v, w);
    const std::complex<double> product = inner_product(v, w);
    alpha.push_back(product.real());
    if (k == 0)
      axpy(-alpha.back(), v, w);
    else
      axpbypz(-alpha.back(), v, -beta.back(), u, w);
    residual = std::sqrt(norm2(w));
    require(std::isfinite(residual) && std::isfinite(alpha.back()),
            "the operator made numbers that are not finite, so it has no spectral bounds: check its links and its "
            "parameters");
    scale_of_A = std::max({scale_of_A, std::abs(alpha.back()), residual});
    require(std::abs(product.imag()) <= 1000 * std::numeric_limits<T>::epsilon() * scale_of_A,
            "v^+ A v has the "
            "imaginary part",
            product.imag(), "so the operator is not Hermitian and has no real spectrum");
    // A small residual: the vectors so far span an invariant space, and the next one would be rounding alone.
    if (residual <= std::sqrt(std::numeric_limits<T>::epsilon()) * scale_of_A || k + 1 == options.steps) break;
    beta.push_back(residual);
    scale(1 / residual, w);
    std::swap(u, v);  // u = v, v = w, and w is free
    std::swap(v, w);
  }
  Interval bounds;
  const int n = int(alpha.size());
  // 0, or so small that the interval's inverse would overflow, is no scale: 1 instead.
  using Limits = std::numeric_limits<T>;
  const double rounding = 10 * Limits::epsilon() * (scale_of_A > Limits::min() / Limits::epsilon() ? scale_of_A : 1);
  const auto end = [&](int k, double sign) {
    const double value = detail::tridiagonal_eigenvalue(alpha, beta, k);
    return value + sign * (residual * detail::tridiagonal_last_component(alpha, beta, k) + rounding);
  };
  bounds.low = end(0, -1);
  bounds.high = end(n - 1, 1);
  return bounds;
}

template Interval spectral_bounds(const AnyOperator<Field<Scalar, double>>&, const Field<Scalar, double>&,
                                  const LanczosBounds&);
template Interval spectral_bounds(const AnyOperator<Field<ColorVector, float>>&, const Field<ColorVector, float>&,
                                  const LanczosBounds&);
template Interval spectral_bounds(const AnyOperator<Field<ColorVector, double>>&, const Field<ColorVector, double>&,
                                  const LanczosBounds&);
template Interval spectral_bounds(const AnyOperator<Field<Spinor, float>>&, const Field<Spinor, float>&,
                                  const LanczosBounds&);
template Interval spectral_bounds(const AnyOperator<Field<Spinor, double>>&, const Field<Spinor, double>&,
                                  const LanczosBounds&);

}  // namespace kov
