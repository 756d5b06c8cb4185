// SPDX-License-Identifier: MIT
//
// Elementals against sums over coordinates, their exact properties, and the texts of displacements and dilutions.
#include "kov/contractions/distillation/dilution.hpp"
#include "kov/contractions/distillation/elementals.hpp"
#include "kov/contractions/distillation/laplacian_eigenvectors.hpp"
#include "kov/contractions/distillation/slice_matrix_file.hpp"
#include "kov/core/field/convert.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>

namespace kov {
namespace test_elementals {

using reference::gather;
using reference::GlobalArray;
using reference::Number;
using test::eps;

/// U_mu(x) v(x + mu), or U_mu(x - mu)^+ v(x - mu), of n colour vectors.
GlobalArray naive_shift(const GlobalArray& u, const GlobalArray& v, int mu, int step) {
  GlobalArray out(v.extent, v.n);
  reference::for_each_coordinate(v.extent, [&](const Coord& x) {
    const Coord from = reference::shifted(x, mu, step);
    for (int i = 0; i < v.n; i += 3)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          out.at(x)[i + a] +=
              (step > 0 ? u.at(x)[9 * mu + 3 * a + b] : std::conj(u.at(from)[9 * mu + 3 * b + a])) * v.at(from)[i + b];
  });
  return out;
}

GlobalArray naive_displaced(const GlobalArray& u, GlobalArray v, const SpatialOperator& D) {
  for (std::size_t k = D.steps.size(); k-- > 0;) {
    const SpatialStep& step = D.steps[k];
    const GlobalArray up = naive_shift(u, v, step.direction, 1), down = naive_shift(u, v, step.direction, -1);
    for (std::size_t i = 0; i < v.data.size(); ++i)
      v.data[i] = step.kind == SpatialStep::Kind::forward    ? up.data[i]
                  : step.kind == SpatialStep::Kind::backward ? down.data[i]
                                                             : (up.data[i] - down.data[i]) / 2.0;
  }
  return v;
}

template <class T>
void check_elementals(const Lattice& lattice) {
  const int n = 5;
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 3);
  const auto vectors = reference::random_field<ColorVector, T>(lattice, n, 4);
  const std::vector<ElementalLabel> labels = elemental_labels(
      {spatial_operator("1"), spatial_operator("+x"), spatial_operator("-z +y"), spatial_operator("dy dx dx")},
      {{0, 0, 0}, {1, -1, 2}});
  const Elementals found =
      elementals(GaugeLinks<T>(reference::gauge_field<T>(lattice, u)), vectors, labels, {.columns = 2});
  const GlobalArray v = gather(vectors);
  const Coord& e = lattice.extent();
  const double scale = 6.0 * e[0] * e[1] * e[2];
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const GlobalArray w = naive_displaced(u, v, labels[k].displacement);
    std::vector<Number> sums(std::size_t(e[3] * n * n));
    reference::for_each_coordinate(e, [&](const Coord& x) {
      double angle = 0;
      for (std::size_t mu = 0; mu < 3; ++mu) angle -= 2 * std::numbers::pi * labels[k].momentum[mu] * x[mu] / e[mu];
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          for (int a = 0; a < 3; ++a)
            sums[std::size_t((x[3] * n + i) * n + j)] +=
                std::polar(1.0, angle) * std::conj(v.at(x)[3 * i + a]) * w.at(x)[3 * j + a];
    });
    for (int t = 0; t < found.matrices.n_slices; ++t)
      for (int i = 0; i < n * n; ++i)
        EXPECT_LE(std::abs(found.matrices.at(t, int(k))[i] - sums[std::size_t((found.matrices.first + t) * n * n + i)]),
                  20 * eps<T> * scale)
            << to_string(labels[k]);
  }
}

class ElementalLattices : public test::OnLattices {};

TEST_P(ElementalLattices, HaveElementalsThatAreSumsOverCoordinates) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_elementals<double>(lattice);
  check_elementals<float>(lattice);
}

INSTANTIATE_TEST_SUITE_P(All, ElementalLattices, ::testing::ValuesIn(test::small_lattice_cases(520)), test::case_name);

TEST(Elementals, AreGaugeInvariantAndHaveTheSymmetriesOfTheirOperators) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GlobalArray u = reference::near_unit_links(lattice.extent(), 3),
                    g = reference::random_su3(lattice.extent(), 1, 5);
  const GaugeLinks<double> links(reference::gauge_field(lattice, u)),
      there(reference::gauge_field(lattice, reference::transform_links(g, u)));
  const int n = 6;
  const auto V = laplacian_eigenvectors(links, {.n = n});
  const Field<ColorVector, double> transformed(lattice, "transformed", n);
  reference::load(transformed, reference::transform_quarks(g, gather(V.vectors)));
  const std::vector<ElementalLabel> labels =
      elemental_labels({spatial_operator("1"), spatial_operator("dx"), spatial_operator("+y"), spatial_operator("-y")},
                       {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}});
  const auto phi = elementals(links, V.vectors, labels), psi = elementals(there, transformed, labels);
  for (std::size_t i = 0; i < phi.matrices.values.size(); ++i)
    EXPECT_LE(std::abs(phi.matrices.values[i] - psi.matrices.values[i]), 1e-13);
  double largest = 0;
  for (int t = 0; t < phi.matrices.n_slices; ++t)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto at = [&](int k, int row, int column) { return phi.matrices.at(t, k)[row * n + column]; };
        EXPECT_LE(std::abs(at(0, i, j) - double(i == j)), 1e-10);          // orthonormal
        EXPECT_LE(std::abs(at(1, i, j) - std::conj(at(2, j, i))), 1e-13);  // p and -p
        EXPECT_LE(std::abs(at(3, i, j) + std::conj(at(3, j, i))), 1e-13);  // the derivative is antihermitian
        EXPECT_LE(std::abs(at(6, i, j) - std::conj(at(9, j, i))), 1e-13);  // there and back
        largest = std::max(largest, std::abs(at(3, i, j)));
      }
  EXPECT_GT(largest, 0.01);
}

/// [phi(p) - phi(-p)^+] / 2 = cos(p / 2) [e^{-ip/2} forward - e^{ip/2} backward] / 2, the rest i sin(p / 2) times the
/// mean of these two.
TEST(Elementals, OfADerivativeInFlightAreOddAndEvenPartsWithPhasesOfItsMiddle) {
  const Lattice lattice(Comm::world(), {6, 4, 4, 4});
  const GaugeLinks<double> links(reference::gauge_field(lattice, reference::near_unit_links(lattice.extent(), 3)));
  const int n = 6;
  const auto V = laplacian_eigenvectors(links, {.n = n});
  const auto phi = elementals(links, V.vectors,
                              elemental_labels({spatial_operator("dx"), spatial_operator("+x"), spatial_operator("-x")},
                                               {{1, 0, 0}, {-1, 0, 0}}));
  const double half = std::numbers::pi / 6;
  double largest = 0;
  for (int t = 0; t < phi.matrices.n_slices; ++t)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto at = [&](int k, int row, int column) { return phi.matrices.at(t, k)[row * n + column]; };
        const Number forward = std::polar(1.0, -half) * at(2, i, j), backward = std::polar(1.0, half) * at(4, i, j),
                     here = at(0, i, j), adjoint = std::conj(at(1, j, i));
        EXPECT_LE(std::abs((here - adjoint) - std::cos(half) * (forward - backward)), 1e-13);
        EXPECT_LE(std::abs((here + adjoint) - Number(0, std::sin(half)) * (forward + backward)), 1e-13);
        largest = std::max(largest, std::min(std::abs(here - adjoint), std::abs(here + adjoint)));
      }
  EXPECT_GT(largest, 0.01);
}

TEST(Elementals, AreCalledByTheirOperators) {
  for (const char* text : {"1", "+x", "-z", "dx dy", "+x +x -z"}) EXPECT_EQ(to_string(spatial_operator(text)), text);
  for (const char* text : {"", " ", "x", "+t", "d", "+xx", "*x", "+x,-y"})
    EXPECT_THROW(spatial_operator(text), InputError);
  const ElementalLabel label{spatial_operator("dx +y"), {1, 0, -2}};
  EXPECT_EQ(to_string(label), "dx +y, p = 1 0 -2");
  EXPECT_EQ(elemental_label(to_string(label)), label);
  for (const char* text : {"dx", "dx, p = 1 0", "dx, p = 1 0 0 0", "dt, p = 0 0 0", ", p = 0 0 0"})
    EXPECT_THROW(elemental_label(text), InputError);
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Field<ColorVector, double> vectors(lattice, "vectors", 2);
  const GaugeLinks<double> links(reference::gauge_field(lattice, reference::unit_gauge(lattice.extent())));
  EXPECT_THROW(elementals(links, vectors, {}), InputError);
  EXPECT_THROW(elementals(links, vectors, {{}}, {.columns = 0}), InputError);
}

TEST(IndexDilution, PutsEveryIndexIntoOneClass) {
  for (const char* text : {"none", "full", "block 3", "interlace 3"}) {
    const IndexDilution d = dilution(text);
    EXPECT_EQ(to_string(d), text);
    std::vector<int> members(std::size_t(d.classes(8)));
    for (int i = 0; i < 8; ++i) ++members.at(std::size_t(d.class_of(i, 8)));
    for (const int n : members) EXPECT_GE(n, 1);
  }
  EXPECT_EQ(dilution("interlace 3").class_of(4, 8), 1);
  EXPECT_EQ(dilution("block 2").class_of(3, 8), 0);
  EXPECT_EQ(dilution("block 2").class_of(4, 8), 1);
  for (const char* text : {"", "half", "block", "block 0", "full 3", "interlace x"})
    EXPECT_THROW(dilution(text), InputError);
  EXPECT_THROW(dilution("block 9").classes(8), InputError);
}

TEST(DilutedNoise, HasOneSourceForEachNumberAndKeepsItWithMoreEigenvectors) {
  const Noise noise{.kind = NoiseKind::z4, .seed = 3, .stream = 1};
  const DilutionScheme scheme{
      .time = dilution("interlace 2"), .spin = dilution("full"), .eigenvector = dilution("block 3")};
  const DilutedNoise small(scheme, noise, 4, 6), large(scheme, noise, 4, 9);
  EXPECT_EQ(small.size(), 2 * 3 * 4);
  for (int t = 0; t < 4; ++t)
    for (int n = 0; n < 6; ++n)
      for (int s = 0; s < 4; ++s) {
        int with = 0;
        for (int source = 0; source < small.size(); ++source) {
          const auto z = small.coefficient(source, t, n, s);
          if (z == 0.0) continue;
          ++with;
          EXPECT_EQ(z, small.noise(t, n, s));
          EXPECT_NEAR(std::abs(z), 1, 1e-15);
        }
        EXPECT_EQ(with, 1);
        EXPECT_EQ(small.noise(t, n, s), large.noise(t, n, s));
      }
  EXPECT_NE(small.noise(0, 0, 0), DilutedNoise(scheme, {.kind = NoiseKind::u1, .seed = 4}, 4, 6).noise(0, 0, 0));
  EXPECT_THROW(DilutedNoise(scheme, {.kind = NoiseKind::gaussian}, 4, 6), InputError);
}

template <class T>
void check_groups() {
  const Lattice lattice(Comm::world(), {4, 4, 6, 4});
  const int n = 5;
  const GaugeLinks<T> links(reference::gauge_field<T>(lattice, reference::random_su3(lattice.extent(), 4, 3)));
  const auto vectors = reference::random_field<ColorVector, T>(lattice, n, 4);
  const std::vector<ElementalLabel> labels =
      elemental_labels({spatial_operator("1"), spatial_operator("dx dy")}, {{0, 0, 0}, {1, 0, 0}});
  for (const int columns : {1, 2, 16}) {
    const Elementals expected = elementals(links, vectors, labels, {.columns = columns});
    for (const int at_once : {1, 2, 3, 5}) {
      std::vector<int> progress;
      const VectorGroups<T> groups(lattice, n, at_once, [&](int first, const Field<ColorVector, T>& some) {
        EXPECT_LE(some.n_components(), std::max(at_once, columns));
        copy_components(vectors, first, some, 0, some.n_components());
      });
      const Elementals found = elementals(
          links, groups, labels, {.columns = columns, .progress = [&](int done, int) { progress.push_back(done); }});
      EXPECT_EQ(found.matrices.values, expected.matrices.values) << columns << " " << at_once;
      EXPECT_EQ(progress, (std::vector<int>{1, 2}));
    }
  }
  EXPECT_THROW(VectorGroups<T>(lattice, n, 0, {}), InputError);
}

TEST(Elementals, HaveTheSameBitsFromGroupsOfVectors) {
  check_groups<double>();
  check_groups<float>();
}

}  // namespace test_elementals
}  // namespace kov
