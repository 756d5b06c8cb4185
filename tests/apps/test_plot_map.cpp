// SPDX-License-Identifier: MIT
#include "apps/plot_map.hpp"
#include "kov/core/error.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov::app {

namespace {

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

PlotMap map(std::vector<double> value) {
  return {.title = "a < b", .x_label = "x", .y_label = "y", .value_label = "v", .nx = 3, .ny = 2, .value = value};
}

}  // namespace

TEST(PlotMap, DrawsASquareForEverySite) {
  const std::string svg = map({0, 1, 2, 3, 4, 5}).svg();
  EXPECT_EQ(count(svg, "<rect"), 1 + 6 + 64);  // ground, sites, colour bar
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
}

TEST(PlotMap, PutsTheFirstRowAtTheBottomAndTheLargestBrightest) {
  const std::string svg = map({0, 0, 0, 0, 0, 7}).svg();
  // Cells of 160 pixels from (64, 46): the last site is at the right of the upper row.
  EXPECT_NE(svg.find("<rect x=\"384.0\" y=\"46.0\" width=\"160.0\" height=\"160.0\" fill=\"#fded6e\"/>"),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<rect x=\"64.0\" y=\"206.0\" width=\"160.0\" height=\"160.0\" fill=\"#180f3d\"/>"),
            std::string::npos);
}

TEST(PlotMap, OfZeroEverywhereIsDark) { EXPECT_EQ(count(map({0, 0, 0, 0, 0, 0}).svg(), "\"#180f3d\""), 6); }

TEST(PlotMap, RefusesWhatItCannotShow) {
  EXPECT_THROW(map({1, 2, 3}).svg(), InputError);
  EXPECT_THROW(map({0, 1, 2, 3, 4, -5}).svg(), InputError);
  EXPECT_THROW(map({0, 1, 2, 3, 4, std::nan("")}).svg(), InputError);
}

}  // namespace kov::app
