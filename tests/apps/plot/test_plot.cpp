// SPDX-License-Identifier: MIT
#include "apps/plot/axes.hpp"
#include "apps/plot/plot.hpp"
#include "kov/core/base/error.hpp"
#include "tests/support/drawings.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov::app {

namespace {

/// Frame of the axes: the rectangle that lines are clipped to.
DrawnClip frame(const Drawing& drawing) { return test::items<DrawnClip>(drawing).front(); }

PlotSeries points(std::vector<double> x, std::vector<double> y, std::vector<double> error = {}) {
  return {"", std::move(x), std::move(y), std::move(error), PlotSeries::Style::points};
}

}  // namespace

TEST(Ticks, AreRoundAndInside) {
  EXPECT_EQ(round_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const auto ticks = round_ticks(0.43, 1.17, 7);
  ASSERT_EQ(ticks.size(), 7u);
  for (std::size_t k = 0; k < ticks.size(); ++k) EXPECT_NEAR(ticks[k], 0.5 + 0.1 * double(k), 1e-12);
}

TEST(Ticks, OfIntegersAreIntegers) {
  const Ticks real = axis_ticks({0.8, 3.2}, 7, AxisKind::real), whole = axis_ticks({0.8, 3.2}, 7, AxisKind::integer);
  EXPECT_GT(real.major.size(), 5u);
  EXPECT_EQ(whole.major, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(whole.labels, (std::vector<std::string>{"$1$", "$2$", "$3$"}));
  for (const double at : axis_ticks({0, 140}, 7, AxisKind::integer).minor) EXPECT_EQ(at, std::round(at));
}

TEST(Ticks, OfLogarithmsArePowersAndTheirMultiplesWhereTheseAreFew) {
  const Ticks wide = axis_ticks({-12.5, 1.5}, 6, AxisKind::logarithmic);
  EXPECT_EQ(wide.labels, (std::vector<std::string>{"$10^{-12}$", "$10^{-10}$", "$10^{-8}$", "$10^{-6}$", "$10^{-4}$",
                                                   "$10^{-2}$", "$10^{0}$"}));
  const Ticks narrow = axis_ticks({-2.9, -2.1}, 6, AxisKind::logarithmic);
  EXPECT_EQ(narrow.labels, (std::vector<std::string>{"$2×10^{-3}$", "$5×10^{-3}$"}));
}

TEST(Plot, DrawsEveryFinitePointWithItsErrorBar) {
  const double nan = std::nan("");
  Plot plot;
  plot.title = "a < b & c";
  plot.series.push_back({"pion", {1, 2, 3, 4}, {0.5, nan, 0.4, 0.4}, {0.1, 0.1, nan, 0.1}, PlotSeries::Style::points});
  plot.bands.push_back({1, 4, 0.45, 0.02, 0});
  const std::string svg = plot.drawing().svg();
  EXPECT_EQ(test::count(svg, "<circle"), 2 + 1);  // and one in the legend
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(test::count(svg, "fill-opacity=\"0.22\""), 1);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
}

TEST(Plot, PointsLieWhereTheAxesSay) {
  Plot plot;
  plot.series.push_back(points({0, 10}, {1, 3}));
  const Drawing drawing = plot.drawing();
  const auto circles = test::items<DrawnCircle>(drawing);
  ASSERT_EQ(circles.size(), 2u);
  const DrawnClip f = frame(drawing);
  // 3 % of the range beside the points, 6 % above and below.
  EXPECT_NEAR(circles[0].x, f.x + f.width * 0.03 / 1.06, 1e-9);
  EXPECT_NEAR(circles[1].x, f.x + f.width * 1.03 / 1.06, 1e-9);
  EXPECT_NEAR(circles[0].y, f.y + f.height * 1.06 / 1.12, 1e-9);
  EXPECT_NEAR(circles[1].y, f.y + f.height * 0.06 / 1.12, 1e-9);
  // The tick at 10 is where the point is.
  for (const DrawnText& text : test::items<DrawnText>(drawing)) {
    if (characters(text.line) == "10") {
      EXPECT_NEAR(text.x, circles[1].x, 1e-9);
    }
  }
  EXPECT_TRUE(test::says(drawing, "10"));
}

TEST(Plot, AxesHoldTheErrorBarsAndReferenceLines) {
  Plot plot;
  plot.series.push_back(points({0, 1}, {1, 2}, {3, 0.5}));
  plot.references.push_back({PlotReference::Axis::y, 9, "here"});
  const Drawing drawing = plot.drawing();
  const DrawnClip f = frame(drawing);
  int dashed = 0;
  for (const DrawnPath& path : test::items<DrawnPath>(drawing)) {
    for (const DrawnPoint& p : path.points) {
      EXPECT_GE(p[1], f.y - 1e-9);
      EXPECT_LE(p[1], f.y + f.height + 1e-9);
    }
    dashed += path.pen.dashed;
  }
  EXPECT_EQ(dashed, 1);
  EXPECT_TRUE(test::says(drawing, "here"));
}

TEST(Plot, BarsThatLeaveTheFrameAreCutOffThere) {
  Plot plot;
  plot.series.push_back(points({0, 1, 2}, {1, 2, 50}, {0.1, 0.2, 100}));
  plot.y_max = 3;
  const Drawing drawing = plot.drawing();
  EXPECT_EQ(test::items<DrawnCircle>(drawing).size(), 2u) << "the third point is outside";
  double highest = 0;
  for (const DrawnPath& path : test::items<DrawnPath>(drawing))
    for (const DrawnPoint& p : path.points) highest = std::min(highest, p[1]);
  EXPECT_LT(highest, 0) << "its bar goes on beyond the frame, where it is clipped";
}

TEST(Plot, BarsWidenTheAxisUpToItsLimits) {
  Plot plot;
  plot.series.push_back(points({0, 1, 2}, {1, 2, 1.5}, {0.1, 0.2, 100}));
  plot.y_min = 0.5;
  plot.y_max = 3;
  const Drawing drawing = plot.drawing();
  const DrawnClip f = frame(drawing);
  const auto circles = test::items<DrawnCircle>(drawing);
  ASSERT_EQ(circles.size(), 3u);
  // The axis goes from 0.5 to 3, plus 6 % at either end.
  EXPECT_NEAR(circles[0].y, f.y + f.height * (3 - 1 + 0.15) / 2.8, 1e-9);
}

TEST(Plot, LinesHaveGapsWhereNumbersAreMissing) {
  Plot plot;
  const double nan = std::nan("");
  plot.series.push_back({"", {0, 1, 2, 3, 4, 5}, {1, 2, nan, 2, 1, nan}, {}, PlotSeries::Style::line});
  EXPECT_EQ(test::count(plot.drawing().svg(), "stroke-width=\"1.7\""), 2);
  plot.series[0].x = {0, 1, 2};
  plot.series[0].y = {1, nan, 3};
  EXPECT_EQ(test::items<DrawnCircle>(plot.drawing()).size(), 2u) << "points alone would make no line";
}

TEST(Plot, LegendsGetRoomOfTheirOwnWhereNoCornerIsFree) {
  Plot plot;
  std::vector<double> x, high, low;
  for (int k = 0; k <= 40; ++k) {
    x.push_back(k);
    high.push_back(1);
    low.push_back(0);
  }
  plot.series.push_back({"high", x, high, {}, PlotSeries::Style::line});
  plot.series.push_back({"low", x, low, {}, PlotSeries::Style::line});
  const Drawing drawing = plot.drawing();
  double line = 0, name = 0;
  for (const DrawnPath& path : test::items<DrawnPath>(drawing))
    if (path.points.size() == 41 && line == 0) line = path.points[0][1];
  for (const DrawnText& text : test::items<DrawnText>(drawing))
    if (characters(text.line) == "low") name = text.y;
  EXPECT_LT(name, line);
}

TEST(Plot, LogarithmicAxesLeaveOutWhatIsNotPositive) {
  Plot plot;
  plot.log_y = true;
  plot.series.push_back(points({0, 1, 2}, {1e-3, -1, 1e3}, {1, 0, 0}));
  const Drawing drawing = plot.drawing();
  EXPECT_EQ(test::items<DrawnCircle>(drawing).size(), 2u);
  EXPECT_TRUE(test::says(drawing, "102"));  // 10, and 2 as a superscript
  EXPECT_TRUE(test::says(drawing, "10−2"));
}

TEST(Plot, OnTwoLogarithmicAxesAPowerIsAStraightLine) {
  Plot plot;
  plot.log_x = plot.log_y = true;
  plot.series.push_back(points({1, 10, 1000, -1}, {1, 100, 1e6, 1}, {}));
  const auto circles = test::items<DrawnCircle>(plot.drawing());
  ASSERT_EQ(circles.size(), 3u) << "without what is not positive";
  const double slope = (circles[1].y - circles[0].y) / (circles[1].x - circles[0].x);
  EXPECT_NEAR((circles[2].y - circles[0].y) / (circles[2].x - circles[0].x), slope, 1e-9);
  EXPECT_NEAR(circles[2].x - circles[0].x, 3 * (circles[1].x - circles[0].x), 1e-6);
}

TEST(Plot, RefusesListsOfDifferentLengthsAndNothingToDraw) {
  Plot plot;
  EXPECT_THROW(plot.drawing(), InputError);
  plot.series.push_back(points({0, 1}, {1}));
  EXPECT_THROW(plot.drawing(), InputError);
  plot.series[0] = points({0, 1}, {0, 0});
  EXPECT_NO_THROW(plot.drawing());
  plot.log_y = true;
  EXPECT_THROW(plot.drawing(), InputError);
}

TEST(Plot, WithALegendAsHighAsItselfKeepsItsAxes) {
  Plot plot{.title = "many", .x_label = "x", .y_label = "y", .series = {}, .log_y = true};
  for (int k = 0; k < 13; ++k)
    plot.series.push_back({"curve", {1, 2, 3, 4}, {1, 0.1, 0.01, 1}, {}, PlotSeries::Style::line});
  const std::string svg = plot.drawing().svg();
  EXPECT_EQ(svg.find("100"), std::string::npos) << "ticks far beyond the numbers";
  EXPECT_EQ(frame(plot.drawing()).height > 250, true);
}

}  // namespace kov::app
