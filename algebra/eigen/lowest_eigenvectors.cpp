// SPDX-License-Identifier: MIT
#include "kov/algebra/eigen/lowest_eigenvectors.hpp"

#include "kov/algebra/eigen/hermitian_matrix.hpp"
#include "kov/core/field/noise.hpp"
#include "kov/core/vectors/column_matrix.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/core/vectors/field_sums.hpp"
#include "kov/stencil/functions/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

namespace kov {

namespace {

using RitzNumber = std::complex<double>;
using detail::HermitianSystem;

/// A basis of Lanczos vectors of f(H^2), and the matrix of it.
template <class T>
class HermitianLanczos {
 public:
  using F = SpinorField<T>;

  HermitianLanczos(const F& shape, int basis, std::uint64_t seed)
      : size_(basis),
        seed_(seed),
        v_(shape.lattice(), "Lanczos vectors", basis + 1, shape.subset()),
        projected_(std::size_t(basis) * std::size_t(basis)) {
    restart();
  }

  /// From a random vector.
  void restart() {
    filled_ = 0;
    std::fill(projected_.begin(), projected_.end(), 0);
    random_vector(0);
  }

  void fill(const Operator<F>& f) {
    for (; filled_ < size_; ++filled_) {
      const int j = filled_;
      const F w = v_.column(j + 1);
      f.apply(v_.column(j), w);
      double before = std::sqrt(norm2(w));
      for (int pass = 0; pass < 2; ++pass) {
        const std::vector<RitzNumber> h = orthogonalise(w, j + 1);
        for (int i = 0; i <= j; ++i) projected_[place(i, j)] += h[std::size_t(i)];
      }
      const double length = std::sqrt(norm2(w));
      require<ConvergenceError>(
          std::isfinite(length),
          "a Lanczos vector is not finite: the operator is not, or its eigenvalues lie beyond the bounds "
          "that were found; check the links");
      if (length <= 1e3 * double(std::numeric_limits<T>::epsilon()) * before)
        random_vector(j + 1);  // the space is closed under f
      else
        scale(1 / length, w);
    }
  }

  /// Ritz values, the largest last.
  HermitianSystem ritz() const { return detail::hermitian_system(projected_, size_, "Lanczos vectors"); }

  /// Keeps n Ritz vectors with the largest values; the last Lanczos vector follows them.
  void keep(const HermitianSystem& ritz, int n) {
    std::vector<RitzNumber> r(std::size_t(size_) * std::size_t(n));
    std::vector<double> values;
    for (int k = 0; k < n; ++k) {
      const int from = size_ - 1 - k;
      values.push_back(ritz.values[std::size_t(from)]);
      for (int i = 0; i < size_; ++i) r[std::size_t(i) * std::size_t(n) + std::size_t(k)] = ritz.vector(i, from);
    }
    rotate_kept(r, size_, n);
    copy(v_.column(size_), v_.column(n));
    std::fill(projected_.begin(), projected_.end(), 0);
    for (int k = 0; k < n; ++k) projected_[place(k, k)] = values[std::size_t(k)];
    filled_ = n;
  }

  F kept(int n) const { return v_.components(0, n); }

 private:
  std::size_t place(int i, int j) const { return std::size_t(i) * std::size_t(size_) + std::size_t(j); }

  /// The first n vectors become combinations of the first m.
  void rotate_kept(const std::vector<RitzNumber>& r, int m, int n) {
    const F rotated(v_.lattice(), "Ritz vectors", n, v_.subset());
    rotate(v_.components(0, m), std::span<const RitzNumber>(r), rotated);
    copy(rotated, v_.components(0, n));
  }

  /// Takes the part along the first n vectors out of w.
  std::vector<RitzNumber> orthogonalise(const F& w, int n) const {
    const std::vector<RitzNumber> h = gram_matrix(v_.components(0, n), w);
    std::vector<RitzNumber> minus;
    for (const RitzNumber& z : h) minus.push_back(-z);
    rotate_add(v_.components(0, n), std::span<const RitzNumber>(minus), w);
    return h;
  }

  void random_vector(int k) {
    const F w = v_.column(k);
    fill_noise(w, {.kind = NoiseKind::gaussian, .seed = seed_, .stream = stream_++});
    for (int pass = 0; pass < 2; ++pass) {
      if (k > 0) orthogonalise(w, k);
      scale(1 / std::sqrt(norm2(w)), w);
    }
  }

  int size_, filled_ = 0;
  std::uint64_t seed_;
  std::uint32_t stream_ = 0;
  F v_;
  std::vector<RitzNumber> projected_;
};

/// The n of these orthonormal vectors that are nearest to eigenvectors of H of the smallest |eigenvalue|.
template <class T>
HermitianEigenvectors<T> diagonalised(const Operator<SpinorField<T>>& H, const SpinorField<T>& v, int n) {
  const int m = v.n_components();
  const SpinorField<T> hv = v.like("H v");
  for (int k = 0; k < m; ++k) H.apply(v.column(k), hv.column(k));
  const HermitianSystem ritz = detail::hermitian_system(gram_matrix(v, hv), m, "eigenvectors");
  std::vector<int> order(std::size_t(m), 0);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::abs(ritz.values[std::size_t(a)]) < std::abs(ritz.values[std::size_t(b)]);
  });
  std::vector<RitzNumber> r(std::size_t(m) * std::size_t(n)), of_lambda = r;
  HermitianEigenvectors<T> result{
      .vectors = SpinorField<T>(v.lattice(), "eigenvectors", n, v.subset()), .values = {}, .residuals = {}};
  for (int k = 0; k < n; ++k) {
    const int from = order[std::size_t(k)];
    const double lambda = ritz.values[std::size_t(from)];
    result.values.push_back(lambda);
    for (int i = 0; i < m; ++i) {
      const std::size_t to = std::size_t(i) * std::size_t(n) + std::size_t(k);
      r[to] = ritz.vector(i, from);
      of_lambda[to] = -lambda * r[to];
    }
  }
  rotate(v, std::span<const RitzNumber>(r), result.vectors);
  const SpinorField<T> off = result.vectors.like("H v - lambda v");
  rotate(hv, std::span<const RitzNumber>(r), off);
  rotate_add(v, std::span<const RitzNumber>(of_lambda), off);
  for (int k = 0; k < n; ++k) result.residuals.push_back(std::sqrt(norm2(off.column(k))));
  return result;
}

}  // namespace

EigenMemory eigen_memory(const EigenParameters& p) {
  const std::int64_t n = p.n, kept = n + std::max<std::int64_t>(4, n / 4);
  const std::int64_t basis = p.basis > 0 ? p.basis : kept + std::max<std::int64_t>(n, 12);
  // The basis and one more, H of the vectors kept, result and residuals; H x and the like.
  return {.basis = basis, .kept = kept, .fields = basis + 1 + kept + 2 * n + 3};
}

template <class T>
HermitianEigenvectors<T> lowest_eigenvectors(const AnyOperator<SpinorField<T>>& H, const Lattice& lattice,
                                             const EigenParameters& p) {
  using F = SpinorField<T>;
  const EigenMemory memory = eigen_memory(p);
  lattice.require_same("lowest_eigenvectors()", p.n, p.basis, p.tolerance, p.max_restarts, p.seed, int(p.subset));
  const std::int64_t n_sites = p.subset == Subset::all ? lattice.volume() : lattice.volume() / 2;
  require(p.n > 0, p.n, "eigenvectors were asked for: ask for one or more");
  require(p.tolerance > 0, "eigenvectors were asked for with the tolerance", p.tolerance, "- it must be positive");
  require(memory.fits(n_sites), "a basis of", memory.basis, "vectors for", p.n,
          "eigenvectors does not fit: it takes more than", memory.kept, "and at most half of the", 12 * n_sites,
          "numbers of a field");
  const int kept = int(memory.kept), basis = int(memory.basis);
  int applications = 0;
  const F of_h(lattice, "H x", 1, p.subset);
  const auto count = [&applications, &H](const F& in, const F& out) {
    H.apply(in, out);
    ++applications;
  };
  const Operator<F> counted = count;
  const auto square = [&](const F& in, const F& out) {
    counted.apply(in, of_h);
    counted.apply(of_h, out);
  };
  const Operator<F> squared = square;
  const double high = spectral_bounds(squared, of_h).high;
  HermitianLanczos<T> lanczos(of_h, basis, p.seed);
  const auto minus = [&](const F& in, const F& out) {
    squared.apply(in, out);
    scale(-1.0, out);
  };
  lanczos.fill(Operator<F>(minus));
  const double cut = std::min(-lanczos.ritz().values[std::size_t(basis - kept)], 0.5 * high);
  require<ConvergenceError>(cut > 0, "H^2 has the Ritz value", cut, "- H is not Hermitian, or has", kept,
                            "eigenvalues that are zero; check the operator and its mass");
  // T_k is about cosh(5) at 0.
  const int degree = 2 * int(std::clamp(1.25 * std::sqrt(high / cut), 4.0, 400.0));
  const ChebyshevSeries series = ChebyshevSeries::of_order(
      [&](double x) {
        const double y = (2 * x - high - cut) / (high - cut);
        return std::cos(degree * std::acos(std::clamp(y, -1.0, 1.0)));
      },
      {cut, high}, degree);
  const auto filter = [&](const F& in, const F& out) { apply_series(series, squared, in, out); };
  lanczos.restart();
  for (int restart = 1;; ++restart) {
    lanczos.fill(Operator<F>(filter));
    lanczos.keep(lanczos.ritz(), kept);
    HermitianEigenvectors<T> found = diagonalised<T>(counted, lanczos.kept(kept), p.n);
    const double worst = *std::max_element(found.residuals.begin(), found.residuals.end());
    found.restarts = restart;
    found.applications = applications;
    if (worst <= p.tolerance * std::sqrt(high)) return found;
    require<ConvergenceError>(
        restart < p.max_restarts, "after", restart, "restarts an eigenvector has the residual", worst, "and",
        p.tolerance * std::sqrt(high),
        "was asked for: allow more restarts, a larger basis or a larger tolerance; where H has pairs of "
        "eigenvalues that differ in their sign only, as without gauge fields, none of that helps");
  }
}

template HermitianEigenvectors<float> lowest_eigenvectors(const Operator<SpinorField<float>>&, const Lattice&,
                                                          const EigenParameters&);
template HermitianEigenvectors<double> lowest_eigenvectors(const Operator<SpinorField<double>>&, const Lattice&,
                                                           const EigenParameters&);

}  // namespace kov
