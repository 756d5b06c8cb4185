// SPDX-License-Identifier: MIT
//
// The figures over the size of matrices show the numbers of their table.
#include "apps/bench/contractions/size_plots.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov::app {
namespace {
namespace size_plots {

const double none = std::numeric_limits<double>::quiet_NaN();

SizeTable table_with(const std::string& blas) {
  return {"real double",
          blas,
          {"small", "large"},
          {{31, 2, 8, blas.empty() ? none : 16, {4, 1}}, {1024, none, 100, blas.empty() ? none : 50, {none, 80}}}};
}

std::vector<std::string> names(const Plot& plot) {
  std::vector<std::string> list;
  for (const PlotSeries& s : plot.series) list.push_back(s.name);
  return list;
}

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

TEST(SizePlots, TileSetsAreBesideWhatIsChosen) {
  const Plot plot = size_plot(SizeFigure::tilings, table_with("OpenBLAS"), "a device");
  EXPECT_EQ(names(plot), (Names{"small", "large", "automatic"}));
  EXPECT_EQ(plot.series[1].x, (Numbers{31, 1024}));
  EXPECT_EQ(plot.series[1].y, (Numbers{1, 80}));
  EXPECT_EQ(plot.series[2].y, (Numbers{8, 100}));
  EXPECT_TRUE(std::isnan(plot.series[0].y[1])) << "what was not measured is no point";
  EXPECT_EQ(plot.caption, "a device");
}

TEST(SizePlots, RatesAreBesideThoseOfTheBlasAndTheNaiveKernel) {
  const Plot plot = size_plot(SizeFigure::blas, table_with("OpenBLAS"), "");
  EXPECT_EQ(names(plot), (Names{"multiply()", "naive", "OpenBLAS"}));
  EXPECT_EQ(plot.series[0].y, (Numbers{8, 100}));
  EXPECT_EQ(plot.series[1].y[0], 2);
  EXPECT_EQ(plot.series[2].y, (Numbers{16, 50}));
}

TEST(SizePlots, SpeedUpIsOurRateOverTheOthers) {
  const Plot plot = size_plot(SizeFigure::speedup, table_with("OpenBLAS"), "");
  EXPECT_EQ(names(plot), (Names{"over naive", "over OpenBLAS"}));
  EXPECT_EQ(plot.series[0].y[0], 4);
  EXPECT_TRUE(std::isnan(plot.series[0].y[1]));
  EXPECT_EQ(plot.series[1].y, (Numbers{0.5, 2}));
}

TEST(SizePlots, WithoutABlasTheRestIsDrawnAndTheCaptionSaysSo) {
  for (const SizeFigure figure : {SizeFigure::blas, SizeFigure::speedup}) {
    const Plot plot = size_plot(figure, table_with(""), "a device");
    EXPECT_EQ(plot.caption, "a device, no BLAS");
    EXPECT_EQ(names(plot), figure == SizeFigure::blas ? (Names{"multiply()", "naive"}) : Names{"over naive"});
    EXPECT_NO_THROW(plot.drawing());
  }
}

TEST(SizePlots, NamesOfFilesHaveNoBlanks) {
  EXPECT_EQ(size_figure_name(SizeFigure::tilings, "complex float"), "_tilings_complex_float");
  EXPECT_EQ(size_figure_name(SizeFigure::blas, "real double"), "_blas_real_double");
  EXPECT_EQ(size_figure_name(SizeFigure::speedup, "real double"), "_speedup_real_double");
}

}  // namespace size_plots
}  // namespace
}  // namespace kov::app
