// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/p_value.hpp"
#include "tests/support/precision.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov {
namespace {

TEST(PValue, OfTwoDegreesOfFreedomIsAnExponential) {
  for (const double x : {0.0, 0.1, 1.0, 5.0, 40.0})
    EXPECT_NEAR(chi2_p_value(x, 2), std::exp(-0.5 * x), 32 * test::eps<double>);
}

TEST(PValue, OfOneDegreeOfFreedomIsThatOfANormalNumber) {
  for (const double x : {0.1, 1.0, 4.0, 9.0})
    EXPECT_NEAR(chi2_p_value(x, 1), std::erfc(std::sqrt(0.5 * x)), 32 * test::eps<double>);
}

TEST(PValue, OfFourDegreesOfFreedomIsKnown) {
  for (const double x : {0.5, 3.0, 20.0})
    EXPECT_NEAR(chi2_p_value(x, 4), std::exp(-0.5 * x) * (1 + 0.5 * x), 32 * test::eps<double>);
}

TEST(HotellingPValue, OfTwoDegreesOfFreedomIsAPower) {
  // F with 2 and m degrees of freedom has the tail (1 + 2 F / m)^(-m / 2).
  for (const int n : {5, 20})
    for (const double x : {0.1, 3.0, 30.0})
      EXPECT_NEAR(hotelling_p_value(x, 2, n), std::pow(1 + x / (n - 1), -0.5 * (n - 2)), 1e-13);
}

TEST(HotellingPValue, OfManySamplesIsThatOfChi2) {
  EXPECT_NEAR(hotelling_p_value(7, 5, 1000000), chi2_p_value(7, 5), 1e-5);
  EXPECT_GT(hotelling_p_value(20, 5, 15), chi2_p_value(20, 5)) << "few samples allow for more";
}

TEST(PValue, IsNoneWithoutAMeaning) {
  EXPECT_TRUE(std::isnan(chi2_p_value(1, 0)));
  EXPECT_TRUE(std::isnan(chi2_p_value(-1, 3)));
  EXPECT_TRUE(std::isnan(chi2_p_value(NAN, 3)));
  EXPECT_TRUE(std::isnan(hotelling_p_value(1, 3, 3)));
  EXPECT_TRUE(std::isnan(hotelling_p_value(NAN, 3, 10)));
}

}  // namespace
}  // namespace kov
