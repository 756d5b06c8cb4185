// SPDX-License-Identifier: MIT
//
// The lowest eigenvectors of gamma_5 M against those of the dense matrix.
#include "kov/algebra/eigen/lowest_eigenvectors.hpp"
#include "kov/algebra/preconditioning/schur_complement.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/vectors/column_matrix.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/core/vectors/field_sums.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "tests/reference/eigen.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/lattices.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace kov {
namespace {
namespace lowest_vectors {

using reference::GlobalArray;
using reference::Number;

constexpr Coord extent{2, 2, 2, 2};
constexpr std::size_t n_sites = 16, dimension = 12 * n_sites;

/// Light quarks on links near 1.
template <class T>
WilsonOperator<T> wilson(const Lattice& lattice) {
  const auto gauge = reference::gauge_field(lattice, reference::near_unit_links(extent, 23));
  return {GaugeLinks<T>(gauge, BoundaryAngles::antiperiodic_in_time()), 0.1};
}

/// Eigenvectors of the matrix of gamma_5 M, by |eigenvalue|.
const reference::EigenSystem& dense() {
  static const reference::EigenSystem system = [] {
    const Lattice lattice(Comm::world(), extent);
    const auto M = wilson<double>(lattice);
    const SpinorField<double> unit(lattice, "unit"), column(lattice, "column"), of_m(lattice, "M x");
    std::vector<Number> matrix(dimension * dimension);
    GlobalArray one(extent, 12);
    for (std::size_t j = 0; j < dimension; ++j) {
      std::fill(one.data.begin(), one.data.end(), 0.0);
      one.data[j] = 1;
      reference::load(unit, one);
      M.apply(unit, of_m);
      column = Gamma::five() * of_m;
      const GlobalArray h = reference::gather(column);
      for (std::size_t i = 0; i < dimension; ++i) matrix[i * dimension + j] = h.data[i];
    }
    const reference::EigenSystem all = reference::eigen_system(matrix, dimension);
    std::vector<std::size_t> order(dimension);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return std::abs(all.values[i]) < std::abs(all.values[j]); });
    reference::EigenSystem ordered;
    for (const std::size_t i : order) {
      ordered.values.push_back(all.values[i]);
      ordered.vectors.push_back(all.vectors[i]);
    }
    return ordered;
  }();
  return system;
}

template <class T>
class LowestEigenvectors : public testing::Test {
 protected:
  HermitianEigenvectors<T> found(const EigenParameters& parameters) const {
    return lowest_eigenvectors<T>(H_, lattice_, parameters);
  }

  const Lattice lattice_{Comm::world(), extent};
  const WilsonOperator<T> M_ = wilson<T>(lattice_);
  const SpinorField<T> of_m_{lattice_, "M x"};
  const Operator<SpinorField<T>> H_ = [this](const SpinorField<T>& in, const SpinorField<T>& out) {
    M_.apply(in, of_m_);
    out = Gamma::five() * of_m_;
  };
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LowestEigenvectors, Precisions);

TYPED_TEST(LowestEigenvectors, AreThoseOfTheDenseMatrix) {
  using T = TypeParam;
  constexpr int n = 8;
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  const reference::EigenSystem& system = dense();
  const double norm = std::abs(system.values.back()), tolerance = 30 * epsilon;
  const auto found = this->found({.n = n, .tolerance = tolerance});
  ASSERT_EQ(found.vectors.n_components(), n);
  ASSERT_EQ(found.values.size(), std::size_t(n));
  EXPECT_GT(found.restarts, 0);
  EXPECT_GT(found.applications, n);
  const auto gram = gram_matrix(found.vectors, found.vectors);
  const SpinorField<T> rest(this->lattice_, "H v - lambda v");
  bool positive = false, negative = false;
  for (int i = 0; i < n; ++i) {
    const double lambda = found.values[std::size_t(i)];
    (lambda > 0 ? positive : negative) = true;
    // An eigenvalue is as near to one of the matrix as the residual says.
    EXPECT_NEAR(lambda, system.values[std::size_t(i)], 2 * tolerance * norm) << i;
    for (int j = 0; j < n; ++j)
      EXPECT_LT(std::abs(gram[std::size_t(i * n + j)] - double(i == j)), 100 * epsilon) << i << " " << j;
    this->H_.apply(found.vectors.column(i), rest);
    axpy(-lambda, found.vectors.column(i), rest);
    const double residual = std::sqrt(norm2(rest));
    EXPECT_LT(residual, 1.5 * tolerance * norm) << i;
    EXPECT_NEAR(residual, found.residuals[std::size_t(i)], 10 * epsilon * norm) << i;
  }
  EXPECT_TRUE(positive && negative);
}

/// What a gap separates from the rest: each vector lies in the space of the dense ones.
TYPED_TEST(LowestEigenvectors, SpanTheSpaceOfTheDenseOnes) {
  using T = TypeParam;
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  const reference::EigenSystem& system = dense();
  std::size_t n = 6;
  const auto gap = [&](std::size_t k) { return std::abs(system.values[k]) - std::abs(system.values[k - 1]); };
  for (std::size_t k = 6; k <= 12; ++k)
    if (gap(k) > gap(n)) n = k;
  const auto found = this->found({.n = int(n), .tolerance = 30 * epsilon, .seed = 5});
  const double leak = 10 * 30 * epsilon * std::abs(system.values.back()) / gap(n);
  ASSERT_LT(leak, 0.1) << "this test needs a gap";
  const GlobalArray vectors = reference::gather(found.vectors);
  for (std::size_t i = 0; i < n; ++i) {
    double inside = 0;
    for (std::size_t k = 0; k < n; ++k) {
      Number overlap = 0;
      for (std::size_t x = 0; x < n_sites; ++x)
        for (std::size_t s = 0; s < 12; ++s)
          overlap += std::conj(system.vectors[k][12 * x + s]) * vectors.data[(n * x + i) * 12 + s];
      inside += std::norm(overlap);
    }
    // The dense vectors have the rounding of all Jacobi rotations.
    constexpr double rounding = 4 * double(dimension) * std::numeric_limits<double>::epsilon();
    EXPECT_NEAR(inside, 1, leak * leak + 30 * epsilon + rounding) << i;
  }
}

TYPED_TEST(LowestEigenvectors, OfAnotherSeedHaveTheSameValues) {
  constexpr double tolerance = 30 * std::numeric_limits<TypeParam>::epsilon();
  const auto a = this->found({.n = 5, .tolerance = tolerance}),
             b = this->found({.n = 5, .tolerance = tolerance, .seed = 9});
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(a.values[i], b.values[i], 3 * tolerance * std::abs(dense().values.back()));
  EXPECT_NE(reference::gather(a.vectors).data[0], reference::gather(b.vectors).data[0]) << "phases are not fixed";
}

/// The matrix of gamma_5 M_e on even sites, whose products with even unit vectors have even sites alone.
TYPED_TEST(LowestEigenvectors, OfASchurComplementAreThoseOfItsDenseMatrix) {
  using T = TypeParam;
  using F = SpinorField<T>;
  const SchurComplement reduced(this->M_);
  const F of_m(this->lattice_, "M_e x", 1, Subset::even);
  const Operator<F> H = [&](const F& in, const F& out) {
    reduced.apply(in, of_m);
    out = Gamma::five() * of_m;
  };
  const F unit(this->lattice_, "unit"), column(this->lattice_, "column");
  std::vector<std::size_t> even;
  std::size_t site = 0;
  reference::for_each_coordinate(extent, [&](const Coord& x) {
    for (std::size_t s = 0; s < 12; ++s)
      if (parity(x) == 0) even.push_back(12 * site + s);
    ++site;
  });
  const std::size_t n_even = even.size();
  ASSERT_EQ(n_even, dimension / 2);
  std::vector<Number> matrix(n_even * n_even);
  GlobalArray one(extent, 12);
  for (std::size_t j = 0; j < n_even; ++j) {
    std::fill(one.data.begin(), one.data.end(), 0.0);
    one.data[even[j]] = 1;
    reference::load(unit, one);
    H.apply(unit.even(), column.even());
    const GlobalArray h = reference::gather(column);
    for (std::size_t i = 0; i < n_even; ++i) matrix[i * n_even + j] = h.data[even[i]];
  }
  std::vector<double> values = reference::eigen_system(matrix, n_even).values;
  std::sort(values.begin(), values.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  const double tolerance = 30 * std::numeric_limits<T>::epsilon(), norm = std::abs(values.back());
  const auto found =
      lowest_eigenvectors<T>(H, this->lattice_, {.n = 6, .tolerance = tolerance, .subset = Subset::even});
  EXPECT_EQ(found.vectors.subset(), Subset::even);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(found.values[i], values[i], 3 * tolerance * norm) << i;
    EXPECT_LT(found.residuals[i], 1.5 * tolerance * norm) << i;
  }
  EXPECT_THROW(lowest_eigenvectors<T>(H, this->lattice_, {.n = 40, .subset = Subset::even}), InputError);
}

TYPED_TEST(LowestEigenvectors, WhatCannotBeIsRefused) {
  EXPECT_THROW(this->found({.n = 0}), InputError);
  EXPECT_THROW(this->found({.n = 100}), InputError);
  EXPECT_FALSE(eigen_memory({.n = 100}).fits(n_sites));
  EXPECT_THROW(this->found({.n = 4, .tolerance = 0}), InputError);
  EXPECT_THROW(this->found({.n = 4, .tolerance = 1e-30, .max_restarts = 2}), ConvergenceError);
}

}  // namespace lowest_vectors
}  // namespace
}  // namespace kov
