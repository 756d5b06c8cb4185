// SPDX-License-Identifier: MIT
#include "apps/plot/plot_map.hpp"
#include "kov/core/base/error.hpp"
#include "tests/support/drawings.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov::app {

namespace {

PlotMap map(std::vector<double> value) {
  return {.title = "a < b", .x_label = "x", .y_label = "y", .value_label = "v", .nx = 3, .ny = 2, .value = value};
}

}  // namespace

TEST(PlotMap, DrawsASquareForEverySite) {
  const std::string svg = map({0, 1, 2, 3, 4, 5}).drawing().svg();
  EXPECT_EQ(test::count(svg, "<rect"), 1 + 6 + 64 + 2);  // ground, sites, colour bar, frames
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
}

TEST(PlotMap, PutsTheFirstRowAtTheBottomAndTheLargestBrightest) {
  const Drawing drawing = map({0, 0, 0, 0, 0, 7}).drawing();
  const auto squares = test::items<DrawnRectangle>(drawing);
  // Rows from the top, each from the left; the last site is at the right of the upper row.
  ASSERT_GT(squares.size(), 6u);
  EXPECT_EQ(squares[2].pen.fill, "#fded6e");
  EXPECT_LT(squares[0].x, squares[2].x);
  EXPECT_LT(squares[2].y, squares[3].y);
  for (const int k : {0, 1, 3, 4, 5}) EXPECT_EQ(squares[std::size_t(k)].pen.fill, "#180f3d");
  // No gaps: each reaches under the next.
  EXPECT_GT(squares[0].x + squares[0].width, squares[1].x);
  EXPECT_GT(squares[0].y + squares[0].height, squares[3].y);
}

TEST(PlotMap, OfZeroEverywhereIsDark) {
  EXPECT_EQ(test::count(map({0, 0, 0, 0, 0, 0}).drawing().svg(), "\"#180f3d\""), 6);
}

TEST(PlotMap, RefusesWhatItCannotShow) {
  EXPECT_THROW(map({1, 2, 3}).drawing().svg(), InputError);
  EXPECT_THROW(map({0, 1, 2, 3, 4, -5}).drawing().svg(), InputError);
  EXPECT_THROW(map({0, 1, 2, 3, 4, std::nan("")}).drawing().svg(), InputError);
}

}  // namespace kov::app
