// SPDX-License-Identifier: MIT
//
// Eigenvectors of the Laplacian on time slices: exact spectra of free fields, dense matrices, gauge covariance, numbers
// of another code, and what is refused.
#include "kov/contractions/distillation/laplacian_eigenvectors.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/laplacian_matrix.hpp"
#include "tests/support/oracles.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

namespace kov {
namespace test_laplacian_eigenvectors {

using reference::gather;
using reference::GlobalArray;

/// All eigenvalues of the free Laplacian, three times each for the colours.
std::vector<double> free_eigenvalues(const Coord& extent) {
  std::vector<double> values;
  reference::for_each_coordinate({extent[0], extent[1], extent[2], 1}, [&](const Coord& n) {
    double value = 0;
    for (std::size_t mu = 0; mu < 3; ++mu) value += 2 * (1 - std::cos(2 * std::numbers::pi * n[mu] / extent[mu]));
    values.insert(values.end(), 3, value);
  });
  std::sort(values.begin(), values.end());
  return values;
}

TEST(LaplacianEigenvectors, OfAFreeFieldHaveEveryMemberOfDegenerateEigenvalues) {
  const Lattice lattice(Comm::world(), {4, 4, 6, 4});
  const GaugeLinks<double> links(reference::gauge_field(lattice, reference::unit_gauge(lattice.extent())));
  const std::vector<double> expected = free_eigenvalues(lattice.extent());
  for (const int n : {9, 20}) {  // 3, 6 and 12 of the lowest eigenvalues; 20 cuts the third
    const auto found = laplacian_eigenvectors(links, {.n = n, .block = 4});
    EXPECT_LE(found.report.residual, 1e-10);
    EXPECT_LE(found.report.orthogonality, 1e-10);
    for (int t = 0; t < 4; ++t)
      for (int i = 0; i < n; ++i) EXPECT_NEAR(found.value(t, i), expected[std::size_t(i)], 1e-9) << t << ' ' << i;
  }
}

TEST(LaplacianEigenvectors, AreThoseOfTheDenseMatrix) {
  const Lattice lattice(Comm::world(), {4, 4, 2, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 3);
  constexpr int n = 10, t = 2;
  const auto found = laplacian_eigenvectors(GaugeLinks<double>(reference::gauge_field(lattice, u)), {.n = n});
  const reference::EigenSystem dense = reference::laplacian_modes(u, t);
  const GlobalArray vectors = gather(found.vectors);
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(found.value(t, i), dense.values[std::size_t(i)], 1e-9);
    reference::Number overlap = 0;
    reference::for_each_coordinate({4, 4, 2, 1}, [&](Coord x) {
      x[3] = t;
      for (int a = 0; a < 3; ++a)
        overlap +=
            std::conj(dense.vectors[std::size_t(i)][reference::mode_index(x, u.extent, a)]) * vectors.at(x)[3 * i + a];
    });
    EXPECT_NEAR(std::abs(overlap), 1, 1e-9);
    EXPECT_GT(vectors.at({0, 0, 0, t})[3 * i].real(), 0);
    EXPECT_LE(std::abs(vectors.at({0, 0, 0, t})[3 * i].imag()), 1e-12);
  }
  // Residuals and orthogonality as the dense matrix has them, not as the solver reports them.
  const std::vector<reference::Number> m = reference::laplacian_matrix(u, t);
  constexpr std::size_t n_rows = 3 * 4 * 4 * 2;
  std::array<std::array<reference::Number, n_rows>, n> v;
  reference::for_each_coordinate({4, 4, 2, 1}, [&](Coord x) {
    x[3] = t;
    for (int i = 0; i < n; ++i)
      for (int a = 0; a < 3; ++a) v[std::size_t(i)][reference::mode_index(x, u.extent, a)] = vectors.at(x)[3 * i + a];
  });
  for (std::size_t i = 0; i < v.size(); ++i) {
    double residual = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
      reference::Number r = -found.value(t, int(i)) * v[i][row];
      for (std::size_t k = 0; k < n_rows; ++k) r += m[row * n_rows + k] * v[i][k];
      residual += std::norm(r);
    }
    EXPECT_LE(std::sqrt(residual), 1e-10) << i;
    for (std::size_t j = 0; j <= i; ++j) {
      reference::Number product = i == j ? -1 : 0;
      for (std::size_t k = 0; k < n_rows; ++k) product += std::conj(v[j][k]) * v[i][k];
      EXPECT_LE(std::abs(product), 1e-10) << j << ' ' << i;
    }
  }
  const auto in_float = laplacian_eigenvectors(GaugeLinks<float>(reference::gauge_field<float>(lattice, u)), {.n = n});
  for (int i = 0; i < n; ++i) EXPECT_NEAR(in_float.value(t, i), dense.values[std::size_t(i)], 1e-4);
}

/// V V^+ psi on every slice.
GlobalArray projected(const Field<ColorVector, double>& vectors, const GlobalArray& psi) {
  const Field<ColorVector, double> field(vectors.lattice(), "psi", psi.n / 3);
  reference::load(field, psi);
  const SliceMatrices overlaps = gram_by_slice(vectors, field);
  rotate_by_slice(vectors, overlaps, field);
  return gather(field);
}

TEST(LaplacianEigenvectors, AreTheSameFromGroupsOfSlices) {
  const Lattice lattice(Comm::world(), {4, 4, 2, 6});
  const auto gauge = reference::gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 3));
  const LaplacianEigenParameters parameters{.n = 5};
  const auto whole = laplacian_eigenvectors(GaugeLinks<double>(gauge), parameters);
  const GlobalArray expected = gather(whole.vectors);
  for (const int slices : {1, 2, 4, 6}) {
    const auto found = laplacian_eigenvectors_in_groups(gauge, parameters, slices);
    EXPECT_LE(found.report.residual, 1e-10);
    EXPECT_LE(found.report.orthogonality, 1e-10);
    for (std::size_t k = 0; k < whole.values.size(); ++k) {
      EXPECT_NEAR(found.values[k], whole.values[k], 1e-9) << slices << " slices, value " << k;
      EXPECT_LE(found.residuals[k], 1e-10);
    }
    // Phases are fixed, and random links have no degenerate eigenvalues.
    const GlobalArray vectors = gather(found.vectors);
    reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
      for (int i = 0; i < 3 * 5; ++i) ASSERT_NEAR(std::abs(vectors.at(x)[i] - expected.at(x)[i]), 0, 1e-7);
    });
  }
  EXPECT_THROW(laplacian_eigenvectors_in_groups(gauge, parameters, 0), InputError);
}

TEST(LaplacianEigenvectors, AreGaugeCovariant) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 3),
                    g = reference::random_su3(lattice.extent(), 1, 5),
                    psi = reference::random_array(lattice.extent(), 3, 8);
  const LaplacianEigenParameters parameters{.n = 8};
  const auto here = laplacian_eigenvectors(GaugeLinks<double>(reference::gauge_field(lattice, u)), parameters),
             there = laplacian_eigenvectors(
                 GaugeLinks<double>(reference::gauge_field(lattice, reference::transform_links(g, u))), parameters);
  for (std::size_t i = 0; i < here.values.size(); ++i) EXPECT_NEAR(here.values[i], there.values[i], 1e-10);
  const GlobalArray a = reference::transform_quarks(g, projected(here.vectors, psi)),
                    b = projected(there.vectors, reference::transform_quarks(g, psi));
  double worst = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) worst = max_or_nan(worst, std::abs(a.data[i] - b.data[i]));
  EXPECT_LE(worst, 1e-8);
}

TEST(LaplacianEigenvectors, AreTheSameInEveryMemoryOrderAndWithHalos) {
  const Coord extent{4, 4, 4, 4};
  const GlobalArray u = reference::random_su3(extent, 4, 3);
  std::vector<GlobalArray> vectors;
  for (const bool forced : {false, true})
    for (const Order order : {Order::virtual_nodes, Order::even_odd}) {
      if (order == Order::virtual_nodes &&
          !(has_packs && Layout::fits(Lattice(Comm::world(), extent).geometry().local_extent(), default_lanes)))
        continue;
      const Lattice lattice(Comm::world(), extent, {.grid = {}, .order = order, .force_exchange = forced});
      const auto found = laplacian_eigenvectors(GaugeLinks<double>(reference::gauge_field(lattice, u)), {.n = 4});
      vectors.push_back(gather(found.vectors));
    }
  for (const GlobalArray& other : vectors) {
    double worst = 0;
    for (std::size_t i = 0; i < other.data.size(); ++i)
      worst = max_or_nan(worst, std::abs(other.data[i] - vectors[0].data[i]));
    EXPECT_LE(worst, 1e-8);
  }
}

TEST(LaplacianEigenvectors, HaveThePublishedEigenvaluesOnSmearedLinks) {
  KOV_SKIP_WITHOUT_DATA("oracles/reference_lq_milc_l4448.json", "milc/lat.sample.l4448");
  const auto published = test::oracle("reference_lq_milc_l4448.json").at("values");
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto gauge = read_gauge<double>(lattice, test::data_folder() / "milc" / "lat.sample.l4448");
  const auto found = laplacian_eigenvectors(GaugeLinks<double>(stout(gauge, {.rho = 0.1, .n = 2})), {.n = 8});
  int compared = 0;
  for (int t = 0; t < 8; ++t) {
    const auto& of_slice = published.at("laplace3d_lowest_eigenvalues_per_timeslice").at(std::size_t(t));
    for (std::size_t i = 0; i < of_slice.size(); ++i, ++compared)
      EXPECT_NEAR(found.value(t, int(i)), of_slice[i].get<double>(), 1e-9);
  }
  EXPECT_EQ(compared, 64);
}

TEST(LaplacianEigenvectors, SayWhatCannotBe) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeLinks<double> links(reference::gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 3)));
  EXPECT_THROW(laplacian_eigenvectors(links, {.n = 0}), InputError);
  EXPECT_THROW(laplacian_eigenvectors(links, {.n = 97}), InputError);
  EXPECT_THROW(laplacian_eigenvectors(links, {.n = 4, .cut = 12}), InputError);
  EXPECT_THROW(laplacian_eigenvectors(links, {.n = 4, .basis = 5}), InputError);
  EXPECT_THROW(laplacian_eigenvectors(links, {.n = 4, .tolerance = -1}), InputError);
  // Every eigenvalue of hot links is larger than this cut.
  EXPECT_THROW(laplacian_eigenvectors(links, {.n = 4, .cut = 0.01, .order = 10}), FilterError);
  EXPECT_THROW(laplacian_eigenvectors(links, {.n = 4, .max_restarts = 1}), ConvergenceError);
  // Beyond what double precision has.
  EXPECT_THROW(laplacian_eigenvectors(links, {.n = 4, .tolerance = 1e-17}), ConvergenceError);
}

/// The unit operator, except for one number on one slice.
struct NotFinite {
  void apply(const Field<ColorVector, double>& in, const Field<ColorVector, double>& out, const Exec& = {}) const {
    copy(in, out);
    const Coord at{1, 2, 3, 1};
    for (int i = 0; i < out.n_components(); ++i)
      poke(out, at, ColorVector<double>{{{std::numeric_limits<double>::quiet_NaN(), 0}, {0, 0}, {0, 0}}}, i);
  }
};

/// On several ranks one of them has the slice, and the others would wait for it if it threw alone.
TEST(LaplacianEigenvectors, OfWhatIsNotFiniteAreAnErrorOnEveryRank) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  EXPECT_THROW(lowest_eigenvectors_by_slice<double>(NotFinite{}, NotFinite{}, lattice, {.n = 4}), ConvergenceError);
}

}  // namespace test_laplacian_eigenvectors
}  // namespace kov
