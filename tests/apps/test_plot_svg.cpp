// SPDX-License-Identifier: MIT
#include "apps/plot_svg.hpp"
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

}  // namespace

TEST(Ticks, AreRoundAndInside) {
  EXPECT_EQ(round_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const auto ticks = round_ticks(0.43, 1.17, 7);
  ASSERT_EQ(ticks.size(), 7u);
  for (std::size_t k = 0; k < ticks.size(); ++k) EXPECT_NEAR(ticks[k], 0.5 + 0.1 * double(k), 1e-12);
  EXPECT_EQ(tick_label(0.5, 0.25), "0.5");
  EXPECT_EQ(tick_label(0.25, 0.05), "0.25");
  EXPECT_EQ(tick_label(-1e-17, 0.1), "0.0");
  EXPECT_EQ(tick_label(12, 2), "12");
  EXPECT_EQ(tick_label(3e-8, 1e-8), "3e-08");
}

TEST(Plot, DrawsEveryFinitePointWithItsErrorBar) {
  const double nan = std::nan("");
  Plot plot;
  plot.title = "a < b & c";
  plot.series.push_back({"pion", {1, 2, 3, 4}, {0.5, nan, 0.4, 0.4}, {0.1, 0.1, nan, 0.1}, PlotSeries::Style::points});
  plot.bands.push_back({1, 4, 0.45, 0.02, 0});
  const std::string svg = plot.svg();
  EXPECT_EQ(count(svg, "<circle"), 2 + 1);  // and one in the legend
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(count(svg, "fill-opacity=\"0.22\""), 1);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
}

TEST(Plot, PointsLieWhereTheAxesSay) {
  Plot plot;
  plot.series.push_back({"", {0, 10}, {1, 3}, {}, PlotSeries::Style::points});
  plot.width = 1000;
  const std::string svg = plot.svg();
  // x from 84 to 978 pixels is the range -0.4 to 10.4: 0 is at 117.1, 10 at 944.9.
  EXPECT_NE(svg.find("cx=\"117.1\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("cx=\"944.9\""), std::string::npos) << svg;
}

TEST(Plot, LogarithmicAxesLeaveOutWhatIsNotPositive) {
  Plot plot;
  plot.log_y = true;
  plot.series.push_back({"c", {0, 1, 2}, {1e-3, -1, 1e3}, {}, PlotSeries::Style::points});
  const std::string svg = plot.svg();
  EXPECT_EQ(count(svg, "<circle"), 2 + 1);
  EXPECT_NE(svg.find("1e+02"), std::string::npos);
}

TEST(PlotSvg, LongCaptionsAreBrokenBetweenWords) {
  EXPECT_TRUE(caption_lines("", 600).empty());
  EXPECT_EQ(caption_lines("short", 600), (std::vector<std::string>{"short"}));
  std::string text;
  for (int k = 0; k < 60; ++k) text += (k ? " word" : "word") + std::to_string(k);
  const auto lines = caption_lines(text, 600);
  EXPECT_GT(lines.size(), 2u);
  std::string joined;
  for (const std::string& line : lines) {
    EXPECT_LE(line.size(), 600u / 6);
    EXPECT_NE(line.front(), ' ');
    joined += (joined.empty() ? "" : " ") + line;
  }
  EXPECT_EQ(joined, text);
  EXPECT_EQ(caption_lines(std::string(150, 'x'), 600).size(), 2u);
}

TEST(Plot, RefusesListsOfDifferentLengthsAndNothingToDraw) {
  Plot plot;
  EXPECT_THROW(plot.svg(), InputError);
  plot.series.push_back({"c", {0, 1}, {1}, {}, PlotSeries::Style::points});
  EXPECT_THROW(plot.svg(), InputError);
}

}  // namespace kov::app
