// SPDX-License-Identifier: MIT
#include "apps/plot/residual_plot.hpp"
#include "kov/core/base/error.hpp"

#include <gtest/gtest.h>

namespace kov::app {
namespace {

const std::vector<ResidualHistory> histories{{"a_1", {0.5, 1e-3, 0}}, {"b", {0.25}}, {"none", {}}};

TEST(ResidualPlot, HasALineForEachHistoryWithoutZerosAndTheTolerance) {
  const Plot plot = residual_plot("Residuals", "of x_1", histories, 1e-9);
  ASSERT_EQ(plot.series.size(), 2u);
  EXPECT_EQ(plot.series[0].x, (std::vector<double>{1, 2}));
  EXPECT_EQ(plot.series[0].y, (std::vector<double>{0.5, 1e-3}));
  EXPECT_EQ(plot.series[1].x, std::vector<double>{1});
  ASSERT_EQ(plot.references.size(), 1u);
  EXPECT_EQ(plot.references[0].value, 1e-9);
  EXPECT_TRUE(plot.log_y);
  EXPECT_NE(plot.drawing().svg().find("tolerance"), std::string::npos);
  EXPECT_THROW(residual_plot("Residuals", "", {}, 1e-9).drawing(), InputError);
}

TEST(ResidualTable, HasALineForEachIterationOfTheLongest) {
  EXPECT_EQ(residual_table("of x", histories),
            "# of x\n# iteration | a_1 | b | none\n"
            "1 5.000000e-01 2.500000e-01 nan\n2 1.000000e-03 nan nan\n3 0.000000e+00 nan nan\n");
}

}  // namespace
}  // namespace kov::app
