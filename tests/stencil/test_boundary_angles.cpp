// SPDX-License-Identifier: MIT
#include "kov/stencil/boundary_angles.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using std::numbers::pi;

TEST(BoundaryAngles, AreTheSameModuloTwoPi) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto with = [mu](double angle) {
      BoundaryAngles angles;
      angles.angle[mu] = angle;
      return angles;
    };
    EXPECT_EQ(with(0), with(2 * pi));
    EXPECT_EQ(with(pi), with(-pi));
    EXPECT_EQ(with(1), with(1 - 2 * pi));
    EXPECT_EQ(with(0.1), with(0.1 + 6 * pi));
    EXPECT_FALSE(with(0) == with(pi));
    EXPECT_FALSE(with(1) == with(-1));
    EXPECT_FALSE(with(0) == with(1e-9));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(with(nan) == with(nan));
  }
}

}  // namespace
}  // namespace kov
