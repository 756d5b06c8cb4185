// SPDX-License-Identifier: MIT
//
// Numbers of columns: arithmetic is that of each column, and masks are sets.
#include "kov/core/vectors/by_column.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using Number = std::complex<double>;

TEST(NumbersByColumn, ArithmeticIsThatOfEachColumn) {
  const std::vector<double> x{0.3, -1.7, 1e-9}, y{2.1, 0.7, -3e5};
  const std::vector<Number> u{{0.3, 1.1}, {-2.7, 0.4}, {1e-7, -5}}, v{{1.3, -0.2}, {0.1, 0.9}, {-4, 3e3}};
  const ByColumn<double> a = x, b = y;
  const ByColumn<Number> c = u, d = v;
  const auto positive = abs(c);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ((-a)[k], -x[k]);
    EXPECT_EQ((a * b)[k], x[k] * y[k]);
    EXPECT_EQ((a / b)[k], x[k] / y[k]);
    EXPECT_EQ((2 * a)[k], 2 * x[k]);
    EXPECT_EQ((1 / a)[k], 1 / x[k]);
    EXPECT_EQ((-c)[k], -u[k]);
    EXPECT_LE(std::abs((c * d)[k] - u[k] * v[k]), 2 * std::numeric_limits<double>::epsilon() * std::abs(u[k] * v[k]));
    EXPECT_LE(std::abs((c / d)[k] - u[k] / v[k]), 4 * std::numeric_limits<double>::epsilon() * std::abs(u[k] / v[k]));
    EXPECT_EQ((c / b)[k], u[k] / y[k]);
    EXPECT_EQ((0.5 * c)[k], 0.5 * u[k]);
    EXPECT_EQ(positive[k], std::abs(u[k]));
    EXPECT_EQ(sqrt(positive)[k], std::sqrt(std::abs(u[k])));
    EXPECT_EQ(real(c)[k], u[k].real());
    EXPECT_EQ(conj(c)[k], std::conj(u[k]));
  }
}

TEST(NumbersByColumn, AColumnDoesNotDependOnTheOthers) {
  const std::vector<Number> u{{0.3, 1.1}, {-2.7, 0.4}, {1.0 / 3, -5}, {0.1, 7}, {1, 1}};
  const ByColumn<Number> c = u, product = c * c, quotient = c / conj(c);
  for (std::size_t k = 0; k < u.size(); ++k) {
    const ByColumn<Number> one = u[k];
    EXPECT_EQ((one * one)[0], product[k]);
    EXPECT_EQ((one / conj(one))[0], quotient[k]);
  }
}

TEST(NumbersByColumn, NaNIsNotAbove) {
  const double nan = std::nan("");
  const ColumnMask mask = not_above(std::vector<double>{2, 1, 0, nan, 2}, std::vector<double>{1, 1, 1, 1, nan});
  const bool expected[] = {false, true, true, true, true};
  for (int k = 0; k < 5; ++k) EXPECT_EQ(mask.is_finished(k), expected[k]) << k;
  EXPECT_EQ(not_above(std::vector<double>{2, 0}, 1.0).n_unfinished(), 1);
}

TEST(NumbersByColumn, ChoosesByColumn) {
  ColumnMask first(2);
  first.finish(0);
  EXPECT_EQ(choose<double>(first, std::vector<double>{1, 2}, std::vector<double>{3, 4}),
            ByColumn<double>(std::vector<double>{1, 4}));
}

TEST(NumbersByColumn, ColumnsOfDifferentFieldsAreRefused) {
  const auto two = ByColumn<double>::repeated(2, 1), three = ByColumn<double>::repeated(3, 1);
  EXPECT_THROW(two * three, InputError);
  EXPECT_THROW(not_above(two, three), InputError);
}

TEST(ColumnMasks, AreSets) {
  ColumnMask a(3), b(3);
  a.finish(0);
  b.finish(2);
  const ColumnMask both = a | b;
  EXPECT_TRUE(both.is_finished(0) && !both.is_finished(1) && both.is_finished(2));
  EXPECT_EQ(both.complement().n_unfinished(), 2);
  EXPECT_TRUE((both | both.complement()).all_finished());
  EXPECT_FALSE(ColumnMask().all_finished());
  EXPECT_EQ((ColumnMask() | a).n_unfinished(), 2);
  EXPECT_EQ((a | ColumnMask()).n_unfinished(), 2);
  EXPECT_THROW(a | ColumnMask(4).complement(), InputError);
}

}  // namespace
}  // namespace kov
