// SPDX-License-Identifier: MIT
//
// Inner products and combinations of vectors on time slices against sums over coordinates, and phases of vectors.
#include "kov/algebra/eigen/slice_columns.hpp"
#include "kov/algebra/eigen/slice_eigenvectors.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"
#include "tests/support/slow_copy.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace kov {
namespace test_slice_columns {

using reference::gather;
using reference::GlobalArray;
using reference::Number;
using test::eps;

/// Number a of colour vector j at x: of spinors, j = spin * n + component.
Number colour_number(const GlobalArray& array, const Coord& x, int j, int a, int spins) {
  const int n = array.n / 3 / spins;
  return spins == 1 ? array.at(x)[3 * j + a] : array.at(x)[12 * (j % n) + 3 * (j / n) + a];
}

/// [t][momentum][i][j]
std::vector<Number> naive_products(const GlobalArray& x, const GlobalArray& y, int spins,
                                   const std::vector<Momentum>& momenta, const Coord& origin) {
  const int m = x.n / 3, n = y.n / 3;
  const std::size_t of_matrix = std::size_t(m) * std::size_t(n);
  std::vector<Number> sums(std::size_t(x.extent[3]) * momenta.size() * of_matrix);
  reference::for_each_coordinate(x.extent, [&](const Coord& site) {
    for (std::size_t k = 0; k < momenta.size(); ++k) {
      double angle = 0;
      for (std::size_t mu = 0; mu < 3; ++mu)
        angle -= 2 * std::numbers::pi * momenta[k][mu] * (site[mu] - origin[mu]) / x.extent[mu];
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
          for (int a = 0; a < 3; ++a)
            sums[(std::size_t(site[3]) * momenta.size() + k) * of_matrix + std::size_t(i * n + j)] +=
                std::polar(1.0, angle) * std::conj(colour_number(x, site, i, a, 1)) *
                colour_number(y, site, j, a, spins);
    }
  });
  return sums;
}

template <class F, class T>
void check_products(const Lattice& lattice, int m, int n) {
  constexpr int spins = F::n_complex / 3;
  const auto x = reference::random_field<ColorVector, T>(lattice, m, 1);
  const F y = [&] {
    if constexpr (spins == 1)
      return reference::random_field<ColorVector, T>(lattice, n, 2);
    else
      return reference::random_field<Spinor, T>(lattice, n, 2);
  }();
  const std::vector<Momentum> momenta{{0, 0, 0}, {1, 0, -1}, {0, 2, 1}};
  const Coord origin{1, 0, 1, 0};
  const SliceMatrices products = gram_by_slice(x, y, momenta, origin);
  ASSERT_EQ(products.columns, spins * n);
  const GlobalArray all_x = gather(x), all_y = gather(y);
  const std::vector<Number> expected = naive_products(all_x, all_y, spins, momenta, origin);
  const std::size_t of_slice = products.size_of_slice();
  const Coord& e = lattice.extent();
  const double scale = 6.0 * e[0] * e[1] * e[2];  // of numbers with variance 2
  double worst_products = 0;
  for (std::size_t i = 0; i < products.values.size(); ++i)
    worst_products =
        max_or_nan(worst_products, std::abs(products.values[i] - expected[std::size_t(products.first) * of_slice + i]));
  EXPECT_LE(worst_products, 10 * eps<T> * scale);
  // A slice of another rank.
  const int t = e[3] - 1;
  const auto last = slice_on_all_ranks(lattice, products, t);
  for (std::size_t i = 0; i < of_slice; ++i)
    EXPECT_LE(std::abs(last[i] - expected[std::size_t(t) * of_slice + i]), 10 * eps<T> * scale);

  // y + x r, and x r alone.
  SliceMatrices r(lattice, 1, m, spins * n);
  for (int slice = 0; slice < r.n_slices; ++slice)
    for (int i = 0; i < m * spins * n; ++i)
      r.at(slice)[i] = {std::sin(1.0 + i + 7 * (r.first + slice)), std::cos(2.0 * i - r.first - slice)};
  const F sum = y.clone("sum"), alone = y.clone("alone");
  rotate_add_by_slice(x, r, sum);
  rotate_by_slice(x, r, alone);
  const GlobalArray all_sum = gather(sum), all_alone = gather(alone);
  double worst = 0;
  const Geometry& geometry = lattice.geometry();
  reference::for_each_coordinate(geometry.local_extent(), [&](const Coord& local) {
    const Coord site = geometry.global(local);
    for (int j = 0; j < spins * n; ++j)
      for (int a = 0; a < 3; ++a) {
        Number value = 0;
        for (int i = 0; i < m; ++i) value += colour_number(all_x, site, i, a, 1) * r.at(local[3])[i * spins * n + j];
        worst = max_or_nan(worst, std::abs(colour_number(all_alone, site, j, a, spins) - value));
        worst = max_or_nan(worst, std::abs(colour_number(all_sum, site, j, a, spins) - value -
                                           colour_number(all_y, site, j, a, spins)));
      }
  });
  EXPECT_LE(worst, 20 * eps<T> * m);
}

class SliceColumns : public test::OnLattices {};

TEST_P(SliceColumns, AreMultipliedAsSumsOverCoordinates) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_products<Field<ColorVector, double>, double>(lattice, 5, 9);
  check_products<Field<ColorVector, float>, float>(lattice, 9, 3);
  check_products<SpinorField<double>, double>(lattice, 7, 3);
  check_products<SpinorField<float>, float>(lattice, 2, 5);
}

INSTANTIATE_TEST_SUITE_P(All, SliceColumns, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

TEST(SliceColumnsOnce, FillSeveralTilesAndChunks) {
  const Lattice lattice(Comm::world(), {12, 12, 8, 4});
  const auto x = reference::random_field<ColorVector, double>(lattice, 37, 1);
  const SliceMatrices products = gram_by_slice(x, x.components(2, 35));
  const SliceMatrices small = gram_by_slice(x.components(33, 3), x.components(34, 2));
  for (int t = 0; t < products.n_slices; ++t)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j)
        EXPECT_LE(std::abs(products.at(t)[(33 + i) * 35 + 32 + j] - small.at(t)[2 * i + j]), 1e-10);
}

TEST(SliceColumnsOnce, RotateInPlaceAsElsewhere) {
  const Lattice lattice(Comm::world(), {4, 4, 6, 4});
  const auto x = reference::random_field<ColorVector, double>(lattice, 11, 1);
  SliceMatrices r(lattice, 1, 11, 6);
  for (std::size_t i = 0; i < r.values.size(); ++i) r.values[i] = {std::sin(double(i)), std::cos(3.0 * double(i))};
  const Field<ColorVector, double> elsewhere(lattice, "elsewhere", 6);
  rotate_by_slice(x, r, elsewhere);
  const GlobalArray before = gather(x);
  rotate_by_slice(x, r, x.components(0, 6));
  EXPECT_EQ(gather(x.components(0, 6).clone("first")).data, gather(elsewhere).data);
  EXPECT_EQ(reference::part(gather(x), 18, 15).data, reference::part(before, 18, 15).data);
}

/// The same bits in passes of so many rows, as GPUs need them where scratch memory is too small for all.
template <class F>
void check_passes(const F& y, const Field<ColorVector, double>& x, bool adds) {
  using Rotation = detail::SliceColumnMatrices<double, F>;
  const Lattice& lattice = x.lattice();
  SliceMatrices r(lattice, 1, x.n_components(), F::n_complex / 3 * y.n_components());
  for (std::size_t i = 0; i < r.values.size(); ++i) r.values[i] = {std::sin(double(i)), std::cos(3.0 * double(i))};
  const F at_once = y.clone("at once");
  Rotation::rotate(x, r, at_once, adds, Exec());
  for (const int most : {1, 4, 10}) {
    const F in_passes = y.clone("in passes");
    Rotation::rotate(x, r, in_passes, adds, Exec(), most);
    EXPECT_EQ(gather(in_passes).data, gather(at_once).data) << most;
  }
}

TEST(SliceColumnsOnce, RotateInPassesAsAtOnce) {
  const Lattice lattice(Comm::world(), {4, 4, 2, 4});
  const auto x = reference::random_field<ColorVector, double>(lattice, 11, 1);
  for (const bool adds : {false, true}) {
    check_passes(reference::random_field<ColorVector, double>(lattice, 5, 2), x, adds);
    check_passes(reference::random_field<Spinor, double>(lattice, 2, 3), x, adds);
  }
  // In place.
  SliceMatrices r(lattice, 1, 11, 6);
  for (std::size_t i = 0; i < r.values.size(); ++i) r.values[i] = {std::sin(double(i)), std::cos(3.0 * double(i))};
  const Field<ColorVector, double> elsewhere(lattice, "elsewhere", 6);
  rotate_by_slice(x, r, elsewhere);
  const GlobalArray before = gather(x);
  detail::SliceColumnMatrices<double, Field<ColorVector, double>>::rotate(x, r, x.components(0, 6), false, Exec(), 3);
  const GlobalArray after = gather(x), expected = gather(elsewhere);
  for (std::int64_t site = 0; site < volume(lattice.extent()); ++site)
    for (int i = 0; i < 33; ++i)
      EXPECT_EQ(after.data[std::size_t(33 * site + i)],
                i < 18 ? expected.data[std::size_t(18 * site + i)] : before.data[std::size_t(33 * site + i)]);
}

TEST(SliceColumnsOnce, HaveTheirFirstNumberRealAndPositive) {
  const Lattice lattice(Comm::world(), {4, 4, 2, 6});
  const auto x = reference::random_field<ColorVector, double>(lattice, 3, 4);
  // Vector 1 begins at another site, in the third colour.
  for (int t = 0; t < 6; ++t) {
    for (int i = 0; i < 4; ++i) poke(x, {i, 0, 0, t}, ColorVector<double>{}, 1);
    poke(x, {0, 1, 0, t}, ColorVector<double>{{{1e-9, 0}, {0, 1e-9}, {0.5, 0.5}}}, 1);
  }
  fix_phases_by_slice(x);
  for (int t = 0; t < 6; ++t) {
    for (const int vector : {0, 2}) {
      const Complex<double> z = peek(x, {0, 0, 0, t}, vector).z[0];
      EXPECT_GT(z.re, 0);
      EXPECT_LE(std::abs(z.im), 1e-15);
    }
    const Complex<double> z = peek(x, {0, 1, 0, t}, 1).z[2];
    EXPECT_NEAR(z.re, std::sqrt(0.5), 1e-15);
    EXPECT_LE(std::abs(z.im), 1e-15);
  }
}

TEST(SliceColumnsOnce, AreOrderedOnTheInstanceThatIsGiven) {
  const Lattice lattice(Comm::world(), {4, 4, 2, 6});
  const auto x = reference::random_field<ColorVector, double>(lattice, 3, 5);
  const SliceMatrices r = gram_by_slice(x, x);
  const auto results = [&](const Exec& exec) {
    const Field<ColorVector, double> y = x.like("y"), z = x.like("z");
    Kokkos::fence("fields are ready");
    test::slow_copy(x, y, exec);
    rotate_by_slice(y, r, z, exec);
    detail::SliceColumnMatrices<double, Field<ColorVector, double>>::rotate(z, r, z, false, exec, 2);  // two passes
    test::slow_copy(z, y, exec);
    fix_phases_by_slice(y, exec);
    return std::pair(gram_by_slice(y, y, {{1, 0, 0}}, {}, exec).values, gather(y).data);
  };
  EXPECT_TRUE(results(test::own_instance()) == results(Exec()));
}

TEST(SliceColumnsOnce, RefuseMatricesThatDoNotFit) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4}), other(Comm::world(), {4, 4, 4, 4});
  const Field<ColorVector, double> x(lattice, "x", 3), y(lattice, "y", 2), z(other, "z", 2);
  EXPECT_THROW(rotate_by_slice(x, SliceMatrices(lattice, 1, 2, 2), y), InputError);
  EXPECT_THROW(rotate_by_slice(x, SliceMatrices(lattice, 1, 3, 3), y), InputError);
  EXPECT_THROW(rotate_add_by_slice(x, SliceMatrices(lattice, 1, 3, 3), x), InputError);
  EXPECT_THROW(gram_by_slice(x, z), InputError);
  EXPECT_THROW(gram_by_slice(x, y.even()), InputError);
  EXPECT_THROW(gram_by_slice(x, y, {}), InputError);
}

}  // namespace test_slice_columns
}  // namespace kov
