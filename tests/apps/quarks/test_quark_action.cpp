// SPDX-License-Identifier: MIT
//
// A boundary is one, however it is written.
#include "apps/quarks/quark_action.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace kov::app {
namespace {
namespace test_quark_action {

using std::numbers::pi;

QuarkAction in_space(double theta) { return {.theta = {theta, 0, 0}}; }
QuarkAction in_time(const std::string& boundary, double theta_t) { return {.boundary = boundary, .theta_t = theta_t}; }

void expect_same(const QuarkAction& a, const QuarkAction& b) {
  EXPECT_EQ(a.labels(), b.labels()) << a.description() << " and " << b.description();
  EXPECT_EQ(a.description(), b.description());
  EXPECT_EQ(a.boundary_angles(), b.boundary_angles()) << a.description() << " and " << b.description();
}
void expect_different(const QuarkAction& a, const QuarkAction& b) {
  EXPECT_NE(a.labels(), b.labels()) << a.description();
  EXPECT_FALSE(a.boundary_angles() == b.boundary_angles()) << a.description() << " and " << b.description();
}

TEST(QuarkBoundary, IsTheSameModuloTwoPi) {
  expect_same(in_space(0), in_space(2 * pi));
  expect_same(in_space(0), in_space(-2 * pi));
  expect_same(in_space(pi), in_space(-pi));
  for (const double angle : {1.0, 0.3, pi / 8, 2.9, -0.7}) {
    const double other = angle > 0 ? angle - 2 * pi : angle + 2 * pi;
    expect_same(in_space(angle), in_space(other));
    expect_same(in_time("periodic", angle), in_time("periodic", other));
    expect_same(in_time("periodic", angle), in_time("antiperiodic", angle - pi));
    expect_same(in_time("antiperiodic", angle), in_time("periodic", angle + pi > 2 * pi ? angle - pi : angle + pi));
    expect_different(in_space(angle), in_space(angle + 1e-6));
    expect_different(in_time("periodic", angle), in_time("antiperiodic", angle));
  }
  expect_different(in_space(1), in_space(-1));
  expect_different(in_space(0), in_space(pi));
}

TEST(QuarkBoundary, HasTheLabelsOfItsPlainestForm) {
  using Labels = std::map<std::string, LabelValue>;
  EXPECT_EQ(in_time("antiperiodic", 0).time_labels(), (Labels{{"boundary", "antiperiodic"}}));
  EXPECT_EQ(in_time("antiperiodic", 2 * pi).time_labels(), (Labels{{"boundary", "antiperiodic"}}));
  EXPECT_EQ(in_time("periodic", pi).time_labels(), (Labels{{"boundary", "antiperiodic"}}));
  EXPECT_EQ(in_time("antiperiodic", -pi).time_labels(), (Labels{{"boundary", "periodic"}}));
  EXPECT_EQ(in_time("antiperiodic", 0.3).time_labels(), (Labels{{"boundary", "antiperiodic"}, {"theta_t", 0.3}}));
  EXPECT_EQ(in_time("periodic", -0.3).time_labels(), (Labels{{"boundary", "periodic"}, {"theta_t", -0.3}}));
  EXPECT_EQ(in_time("antiperiodic", pi / 2).time_labels(), in_time("periodic", -pi / 2).time_labels());
  EXPECT_EQ(in_space(2 * pi).labels().count("theta"), 0u);
  EXPECT_EQ(std::get<std::string>(in_space(1 - 2 * pi).labels().at("theta")), "1 0 0");
}

TEST(QuarkBoundary, HasExactAnglesOfZeroAndPi) {
  EXPECT_EQ(in_space(2 * pi).boundary_angles().angle[0], 0);
  EXPECT_EQ(in_space(-pi).boundary_angles().angle[0], pi);
  EXPECT_EQ(in_space(0.3).boundary_angles().angle[0], 0.3);
  EXPECT_EQ(in_time("antiperiodic", 0).boundary_angles().angle[3], pi);
  EXPECT_EQ(in_time("periodic", -pi).boundary_angles().angle[3], pi);
  EXPECT_EQ(in_time("antiperiodic", pi).boundary_angles().angle[3], 0);
}

}  // namespace test_quark_action
}  // namespace
}  // namespace kov::app
