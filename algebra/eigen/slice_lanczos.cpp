// SPDX-License-Identifier: MIT
#include "kov/algebra/eigen/slice_lanczos.hpp"

#include "kov/algebra/eigen/hermitian_matrix.hpp"
#include "kov/core/base/host_threads.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/field/noise.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/field_ops.hpp"

#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20012  // annotations of Eigen's defaulted functions
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // of GCC's own _mm512_undefined_pd()
#endif
#include <Eigen/Core>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace kov::detail {

using DenseMatrix = Eigen::MatrixXcd;

namespace {

// Few functions use Eigen, on one type of matrix each: every other expression would be compiled for seconds more.

DenseMatrix dense(const SliceMatrices& matrices, int slice) {
  DenseMatrix m(matrices.rows, matrices.columns);
  const std::complex<double>* from = matrices.at(slice);
  for (int i = 0; i < matrices.rows; ++i)
    for (int j = 0; j < matrices.columns; ++j) m(i, j) = *from++;
  return m;
}

void set_slice(SliceMatrices& matrices, int slice, const DenseMatrix& m) {
  std::complex<double>* to = matrices.at(slice);
  for (int i = 0; i < matrices.rows; ++i)
    for (int j = 0; j < matrices.columns; ++j) *to++ = m(i, j);
}

[[gnu::noinline]] DenseMatrix matrix_product(const DenseMatrix& a, const DenseMatrix& b) { return a * b; }

/// The upper triangle counts.
[[gnu::noinline]] DenseMatrix hermitian(const DenseMatrix& m) {
  DenseMatrix h(m);
  for (Eigen::Index j = 0; j < h.cols(); ++j) {
    for (Eigen::Index i = j + 1; i < h.rows(); ++i) h(i, j) = std::conj(m(j, i));
    h(j, j) = h(j, j).real();
  }
  return h;
}

/// The upper triangle counts.
struct EigenSystem {
  std::vector<double> values;  // rising
  DenseMatrix vectors;         // column by column
};
EigenSystem eigen_system(const DenseMatrix& h) {
  const int n = int(h.rows());
  std::vector<std::complex<double>> rows;
  rows.reserve(std::size_t(n) * std::size_t(n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) rows.push_back(h(i, j));
  HermitianSystem system = hermitian_system(rows, n, "vectors of a time slice");
  DenseMatrix vectors(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) vectors(i, j) = system.vector(i, j);
  return {std::move(system.values), std::move(vectors)};
}

/// w forward is orthonormal, and (w forward) back = w, for w with w^+ w = products; SVQB: Stathopoulos and Wu, SIAM J.
/// Sci. Comput. 23 (2002) 2165.  Columns of forward are 0 where w has no more than rounding errors.
struct Orthonormal {
  DenseMatrix forward, back;
  std::vector<int> broken;
};
Orthonormal orthonormal_change(const DenseMatrix& products, double smallest) {
  const auto b = products.rows();
  const EigenSystem eigen = eigen_system(products);
  Orthonormal to{DenseMatrix::Zero(b, b), DenseMatrix::Zero(b, b), {}};
  for (Eigen::Index i = 0; i < b; ++i) {
    const double length = std::sqrt(std::max(0.0, eigen.values[std::size_t(i)]));
    if (!(length > smallest)) {
      to.broken.push_back(int(i));
      continue;
    }
    for (Eigen::Index j = 0; j < b; ++j) {
      to.forward(j, i) = eigen.vectors(j, i) / length;
      to.back(i, j) = length * std::conj(eigen.vectors(j, i));
    }
  }
  return to;
}

/// The largest |m - 1|.
double deviation_from_unity(const DenseMatrix& m) {
  double largest = 0;
  for (Eigen::Index j = 0; j < m.cols(); ++j)
    for (Eigen::Index i = 0; i < m.rows(); ++i) largest = max_or_nan(largest, std::abs(m(i, j) - double(i == j)));
  return largest;
}

/// Work on every slice of this rank, on all threads.  What it throws on one rank all of them throw.
void for_each_slice(const Comm& comm, int n_slices, const std::function<void(int)>& work) {
  comm.agree([&] {
    on_host_threads("dense problems on slices", n_slices, [&](std::int64_t slice, int) { work(int(slice)); });
  });
}

}  // namespace

LanczosShape LanczosShape::of(const SliceEigenParameters& parameters, int dimension) {
  const int n = parameters.n;
  require(n >= 1 && 2 * n <= dimension, "eigenvectors of time slices: n =", n, "is not from 1 to", dimension / 2,
          ", half of the numbers of a slice");
  require(parameters.block >= 1 && parameters.basis >= 0,
          "eigenvectors of time slices need a block of at least one "
          "vector and a basis of none or more, not",
          parameters.block, "and", parameters.basis);
  LanczosShape shape{
      .n = n, .block = std::max(1, std::min(parameters.block, (dimension - n) / 4)), .kept = 0, .basis = 0};
  const int b = shape.block;
  // A quarter of the guards that fit at most, so that two blocks fit beside.
  shape.kept = std::min(n + std::max(b, n / 8), dimension - 3 * b);
  const int wanted = parameters.basis > 0 ? parameters.basis : shape.kept + std::max(4 * b, n / 2);
  const int blocks = std::min((wanted - shape.kept + b - 1) / b, (dimension - b - shape.kept) / b);
  require(blocks >= 2, "a basis of", wanted, "vectors is too small for", n, "eigenvectors in blocks of", b,
          ": give it at least", shape.kept + 2 * b);
  shape.basis = shape.kept + blocks * b;
  return shape;
}

/// Of one slice.
template <class T>
struct SliceLanczos<T>::Projected {
  struct Slice {
    DenseMatrix h;         // Q^+ f(A) Q; of blocks not yet applied to, the columns are 0
    DenseMatrix coupling;  // of the last block with the next one
    std::vector<double> theta, residual, value;
    bool locked = false;
  };
  std::vector<Slice> slices;
};

template <class T>
SliceLanczos<T>::SliceLanczos(const Operator<F>& filter, const Lattice& lattice, const LanczosShape& shape,
                              std::uint64_t seed)
    : filter_(filter),
      shape_(shape),
      basis_(lattice, "Lanczos basis", shape.basis + shape.block),
      seed_(seed),
      projected_(std::make_unique<Projected>()) {
  projected_->slices.resize(std::size_t(lattice.geometry().local_extent()[3]));
  for (auto& slice : projected_->slices) slice.h = DenseMatrix::Zero(shape.basis, shape.basis);
  fill_random(basis_.components(0, shape.block));
  orthonormalise(0, false);
}
template <class T>
SliceLanczos<T>::~SliceLanczos() = default;

template <class T>
double SliceLanczos<T>::theta(int slice, int i) const {
  return projected_->slices[std::size_t(slice)].theta[std::size_t(i)];
}
template <class T>
double SliceLanczos<T>::residual(int slice, int i) const {
  return projected_->slices[std::size_t(slice)].residual[std::size_t(i)];
}
template <class T>
double SliceLanczos<T>::value(int slice, int i) const {
  return projected_->slices[std::size_t(slice)].value[std::size_t(i)];
}
template <class T>
int SliceLanczos<T>::n_slices() const {
  return int(projected_->slices.size());
}
template <class T>
void SliceLanczos<T>::lock(int slice, bool locked) {
  projected_->slices[std::size_t(slice)].locked = locked;
}

template <class T>
void SliceLanczos<T>::fill_random(const F& block) {
  // Noise fills whole fields: in place of a part of one it would have other numbers.
  const F noise(basis_.lattice(), "random vectors", shape_.block);
  fill_noise(noise, {.kind = NoiseKind::gaussian, .seed = seed_, .stream = random_blocks_++});
  const Coord& extent = basis_.lattice().extent();
  scale(1 / std::sqrt(6.0 * extent[0] * extent[1] * extent[2]), noise);
  copy_components(noise, 0, block, 0, shape_.block);
}

template <class T>
void SliceLanczos<T>::orthonormalise(int first, bool records) {
  const int b = shape_.block, before = first - b, n = n_slices();
  const Lattice& lattice = basis_.lattice();
  const F w = basis_.components(first, b);
  // |w| before it is orthogonalised, which rounding errors are relative to.
  std::vector<double> size(std::size_t(n), 0.0);
  std::vector<DenseMatrix> r(std::size_t(n), DenseMatrix::Identity(b, b));
  constexpr int most_passes = 6;
  for (int pass = 0; pass < most_passes; ++pass) {
    double overlap = 0;
    if (first > 0) {
      const F q = basis_.components(0, first);
      SliceMatrices c = gram_by_slice(q, w);
      for (int t = 0; t < n; ++t) {
        const DenseMatrix part = dense(c, t);
        if (pass == 0) size[std::size_t(t)] = part.norm();
        overlap = max_or_nan(overlap, part.norm());
        if (records)
          projected_->slices[std::size_t(t)].h.block(0, before, first, b) += matrix_product(part, r[std::size_t(t)]);
      }
      for (auto& z : c.values) z = -z;
      rotate_add_by_slice(q, c, w);
    }
    const SliceMatrices g = gram_by_slice(w, w);
    SliceMatrices to(lattice, 1, b, b), random(lattice, 1, b, b);
    double deviation = 0, broken = 0;
    for (int t = 0; t < n; ++t) {
      const DenseMatrix products = dense(g, t);
      const double deviates = deviation_from_unity(products);
      deviation = max_or_nan(deviation, deviates);
      if (!std::isfinite(deviates)) continue;  // all ranks throw below
      if (pass == 0) size[std::size_t(t)] = std::max(size[std::size_t(t)], std::sqrt(std::abs(products.trace())));
      // Below this, w has nothing but rounding errors: the Krylov space has ended, and random vectors go on.
      const double smallest = 100 * double(std::numeric_limits<T>::epsilon()) * (pass == 0 ? size[std::size_t(t)] : 1);
      const Orthonormal change = orthonormal_change(products, smallest);
      set_slice(to, t, change.forward);
      for (const int i : change.broken) random.at(t)[i * (b + 1)] = 1;
      if (!change.broken.empty()) broken = 1;
      r[std::size_t(t)] = matrix_product(change.back, r[std::size_t(t)]);
    }
    std::array<double, 3> all{deviation, overlap, broken};
    for (double& value : all)
      if (!std::isfinite(value)) value = std::numeric_limits<double>::infinity();
    lattice.comm().max(all);
    require<ConvergenceError>(std::isfinite(all[0]) && std::isfinite(all[1]),
                              "vectors on time slices became infinite or NaN under the filter: check the links");
    rotate_by_slice(w, to, w);
    if (all[2] > 0) {
      const F noise(lattice, "random vectors", b);
      fill_random(noise);
      rotate_add_by_slice(noise, random, w);
    } else if (pass > 0 && all[0] < 0.1) {
      break;
    }
    require<ConvergenceError>(pass + 1 < most_passes, "a block of", b,
                              "vectors on time slices did not become orthonormal after", most_passes,
                              "passes: take fewer vectors or a smaller block");
  }
  if (records)
    for (int t = 0; t < n; ++t) projected_->slices[std::size_t(t)].coupling = r[std::size_t(t)];
}

template <class T>
void SliceLanczos<T>::renew_block() {
  fill_random(basis_.components(first_new_, shape_.block));
  orthonormalise(first_new_, false);
}

template <class T>
void SliceLanczos<T>::cycle() {
  const int b = shape_.block, size = shape_.basis, kept = shape_.kept;
  // The first cycle begins with one block and ends where a whole number of them does.
  const int begin = first_new_;
  for (int t = 0; t < n_slices(); ++t) projected_->slices[std::size_t(t)].h.rightCols(size - begin).setZero();
  int first = begin;
  for (; first + b <= size; first += b) {
    filter_.apply(basis_.components(first, b), basis_.components(first + b, b));
    filtered_ += b;
    orthonormalise(first + b, true);
  }
  SliceMatrices to(basis_.lattice(), 1, first, kept);
  for_each_slice(basis_.lattice().comm(), n_slices(), [&](int t) {
    auto& slice = projected_->slices[std::size_t(t)];
    DenseMatrix y = DenseMatrix::Identity(first, kept);
    if (!slice.locked) {
      const EigenSystem eigen = eigen_system(slice.h.topLeftCorner(first, first));
      slice.theta.resize(std::size_t(kept));
      slice.residual.resize(std::size_t(kept));
      slice.h.setZero();
      for (int i = 0; i < kept; ++i) {
        y.col(i) = eigen.vectors.col(first - 1 - i);
        slice.theta[std::size_t(i)] = eigen.values[std::size_t(first - 1 - i)];
        slice.h(i, i) = slice.theta[std::size_t(i)];
      }
      const DenseMatrix tail = matrix_product(slice.coupling, y.bottomRows(b));
      for (int i = 0; i < kept; ++i) slice.residual[std::size_t(i)] = tail.col(i).norm();
    }
    set_slice(to, t, y);
  });
  rotate_by_slice(basis_.components(0, first), to, basis_.components(0, kept));
  copy_components(basis_, first, basis_, kept, b);
  first_new_ = kept;
}

template <class T>
void SliceLanczos<T>::diagonalise(const Operator<F>& A) {
  const int b = shape_.block, kept = shape_.kept;
  const F vectors = basis_.components(0, kept);
  SliceMatrices h(basis_.lattice(), 1, kept, kept);
  // The next block is renewed or not needed any more: its memory is free.
  for (int first = 0; first < kept; first += b) {
    const int count = std::min(b, kept - first);
    const F image = basis_.components(shape_.basis, count);
    A.apply(basis_.components(first, count), image);
    const SliceMatrices part = gram_by_slice(vectors, image);
    for (int t = 0; t < n_slices(); ++t)
      for (int i = 0; i < kept; ++i)
        std::copy_n(part.at(t) + std::ptrdiff_t(i) * count, count, h.at(t) + std::ptrdiff_t(i) * kept + first);
  }
  for_each_slice(basis_.lattice().comm(), n_slices(), [&](int t) {
    auto& slice = projected_->slices[std::size_t(t)];
    const EigenSystem eigen = eigen_system(dense(h, t));
    set_slice(h, t, eigen.vectors);
    slice.value = eigen.values;
    const DenseMatrix old = hermitian(slice.h.topLeftCorner(kept, kept));
    slice.h.topLeftCorner(kept, kept) = matrix_product(eigen.vectors.adjoint(), matrix_product(old, eigen.vectors));
  });
  rotate_by_slice(vectors, h, vectors);
}

template class SliceLanczos<float>;
template class SliceLanczos<double>;

}  // namespace kov::detail
