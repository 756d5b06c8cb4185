// SPDX-License-Identifier: MIT
#include "apps/plot/drawing.hpp"
#include "kov/core/base/error.hpp"
#include "tests/support/drawings.hpp"

#include <gtest/gtest.h>

namespace kov::app {

namespace {

Drawing example() {
  Drawing drawing{200, 100, "a < b"};
  drawing.write(10, 20, "$t^2 E$ & more", 10);
  drawing.items.emplace_back(DrawnClip{10, 10, 50, 60});
  drawing.line({0, 0}, {1.25, -3}, {.stroke = "#0072b2", .width = 2, .fill = {}, .opacity = 1, .dashed = true});
  drawing.items.emplace_back(DrawnClip{});
  drawing.items.emplace_back(DrawnCircle{5, 6, 7, {.fill = "#ffffff"}});
  return drawing;
}

}  // namespace

TEST(Drawing, IsSvg) {
  const std::string svg = example().svg();
  EXPECT_TRUE(test::has(svg, "<title>a &lt; b</title>")) << svg;
  EXPECT_TRUE(test::has(svg,
                        "<tspan font-style=\"italic\">t</tspan><tspan dy=\"-3.8\" font-size=\"7.2\">2</tspan>"
                        "<tspan dy=\"3.8\"> </tspan><tspan font-style=\"italic\">E</tspan> &amp; more</text>"))
      << svg;
  EXPECT_TRUE(
      test::has(svg,
                "<g clip-path=\"url(#clip1)\">\n<polyline points=\"0,0 1.25,-3\" fill=\"none\" stroke=\"#0072b2\" "
                "stroke-width=\"2\" stroke-dasharray=\"8 6\"/>\n</g>\n<circle"))
      << svg;
}

TEST(Drawing, CaptionsMakeThePageGrow) {
  Drawing drawing{200, 100, ""};
  drawing.caption(10, 90, "short");
  EXPECT_EQ(drawing.height, 100);
  drawing.caption(10, 90, "This caption takes two lines on a small page");
  EXPECT_EQ(drawing.height, 114);
}

TEST(Drawing, IsPdfWithItsFontsOrSaysWhyNot) {
  if (!has_pdf()) {
    EXPECT_THROW(example().pdf(), NotBuilt);
    return;
  }
  const std::string pdf = example().pdf();
  EXPECT_EQ(pdf.rfind("%PDF-", 0), 0u);
  EXPECT_TRUE(test::has(pdf.substr(pdf.size() - 8), "%%EOF"));
  EXPECT_TRUE(test::has(pdf, "/MediaBox [ 0 0 120 60 ]"));
  EXPECT_TRUE(test::has(pdf, "/FontFile") || test::has(pdf, "/Type3"))
      << "a machine without fonts has the one that cairo draws";
  EXPECT_TRUE(test::has(pdf, "a < b"));
  EXPECT_FALSE(test::has(pdf, "CreationDate"));
  EXPECT_EQ(pdf, example().pdf()) << "the same drawing is the same file";
  Drawing other = example();
  other.items.pop_back();
  EXPECT_NE(pdf, other.pdf());
}

}  // namespace kov::app
