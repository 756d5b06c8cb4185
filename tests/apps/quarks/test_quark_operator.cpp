// SPDX-License-Identifier: MIT
//
// The operators of quarks are those of their parameters.  Solvers in single precision: the residuals that they report
// are those in double, of every column.
#include "apps/quarks/quark_operator.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/improved.hpp"
#include "tests/reference/clover.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/precision.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov::app {
namespace {
namespace test_quark_operator {

constexpr double tolerance = 1e-6;

class TrueResiduals : public testing::TestWithParam<QuarkAction> {
 protected:
  /// What is left over in double, relative to the sources, computed for all columns at once.
  std::vector<double> residuals(const SpinorField<float>& b, const SpinorField<float>& x) const {
    const SpinorField<double> source(lattice_, "source", b.n_components()), r = source.like("r"), y = source.like("x");
    convert(b, source);
    convert(x, y);
    (*quark_operator<double>(gauge_, GetParam(), {.precision = "double", .preconditioner = "none"}).M).apply(y, r);
    xpay(source, -1, r);
    std::vector<double> found;
    const auto bb = norm2_by_column(source), rr = norm2_by_column(r);
    for (int k = 0; k < b.n_components(); ++k) found.push_back(bb[k] == 0 ? 0 : std::sqrt(rr[k] / bb[k]));
    return found;
  }

  void expect_reported(const SolveReport& report, const SpinorField<float>& b, const SpinorField<float>& x) const {
    EXPECT_GT(report.residual, 0.01 * tolerance);
    expect_residuals_in_double(report, b, x);
  }
  void expect_residuals_in_double(const SolveReport& report, const SpinorField<float>& b,
                                  const SpinorField<float>& x) const {
    const std::vector<double> expected = residuals(b, x);
    ASSERT_EQ(report.column_residuals.size(), expected.size());
    double largest = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      // b - M x is as good as the rounding of its terms.
      EXPECT_NEAR(report.column_residuals[k], expected[k], 100 * test::eps<double>) << k;
      largest = std::max(largest, expected[k]);
    }
    EXPECT_NEAR(report.residual, largest, 100 * test::eps<double>);
  }

  SolverChoice choice() const {
    return {.precision = "single",
            .preconditioner = GetParam().action == "hamber-wu" ? "none" : "even-odd",
            .tolerance = tolerance};
  }

  const Lattice lattice_{Comm::world(), {4, 4, 2, 8}};
  const GaugeField<double> gauge_ =
      reference::gauge_field<double>(lattice_, reference::near_unit_links({4, 4, 2, 8}, 91));
};

TEST_P(TrueResiduals, OneColumnAreInDouble) {
  const auto quark = quark_operator<float>(gauge_, GetParam(), choice());
  const SpinorField<float> b(lattice_, "b"), x = b.like("x");
  load(b, reference::random_array(lattice_.extent(), 12, 92));
  const SolveReport report = (*quark.solver)(*quark.M, b, x);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.stopping_residual, tolerance);
  expect_reported(report, b, x);
  Solver<SpinorField<float>> short_of_it = *quark.solver;
  short_of_it.max_iterations = 2;
  short_of_it.on_failure = OnFailure::report;
  zero(x);
  const SolveReport early = short_of_it(*quark.M, b, x);
  EXPECT_FALSE(early.converged);
  expect_reported(early, b, x);
}

/// Against loops over the definition, and against the library's improved operators; all parameters differ.
TEST(QuarkOperators, AreThoseOfTheirParameters) {
  const Coord extent{4, 4, 2, 8};
  const Lattice lattice(Comm::world(), extent);
  const reference::GlobalArray links = reference::near_unit_links(extent, 95),
                               psi = reference::random_array(extent, 12, 96);
  const GaugeField<double> gauge = reference::gauge_field<double>(lattice, links);
  const SpinorField<double> in(lattice, "in"), out = in.like("out"), expected = in.like("expected");
  load(in, psi);
  const auto apply = [&](const QuarkAction& action) {
    (*quark_operator<double>(gauge, action, {.precision = "double", .preconditioner = "none"}).M).apply(in, out);
  };
  const auto expect = [&](const QuarkAction& action, const reference::DiracParameters& p) {
    apply(action);
    EXPECT_LE(reference::max_difference(out, reference::dirac(links, psi, p)), 1e-13) << action.description();
  };
  const double pi = std::acos(-1.0);
  expect({.mass = 0.3, .boundary = "periodic"}, {.mass = 0.3});
  expect({.mass = -0.2, .xi0 = 1.7, .nu = 0.8, .theta = {0.4, -0.7, 1.1}, .theta_t = 0.3},
         {.mass = -0.2, .xi0 = 1.7, .nu = 0.8, .angle = {0.4, -0.7, 1.1, pi + 0.3}});
  expect({.mass = 0.1, .boundary = "periodic", .mu = 0.25, .xi0 = 1.7, .nu = 0.8, .theta_t = 0.3},
         {.mass = 0.1, .mu = 0.25, .xi0 = 1.7, .nu = 0.8, .angle = {0, 0, 0, 0.3}});
  expect(
      {.mass = 0.1, .c_sw = 1.3, .mu = -0.25, .xi0 = 1.7, .nu = 0.8, .theta = {0.4, -0.7, 1.1}},
      {.mass = 0.1, .c_space = 1.3, .c_time = 1.3, .mu = -0.25, .xi0 = 1.7, .nu = 0.8, .angle = {0.4, -0.7, 1.1, pi}});
  const BoundaryAngles angles{{0.4, -0.7, 1.1, pi + 0.3}};
  const auto expect_improved = [&](const std::string& name, const auto& M) {
    apply({.mass = 0.3, .action = name, .theta = {0.4, -0.7, 1.1}, .theta_t = 0.3});
    M.apply(in, expected);
    EXPECT_LE(reference::max_difference(out, reference::gather(expected)), 1e-13) << name;
  };
  expect_improved("naik", naik_operator<double>(gauge, 0.3, angles));
  expect_improved("hamber-wu", hamber_wu_operator<double>(gauge, 0.3, angles));
}

/// Beyond single precision, where its own residual is rounding alone.
TEST_P(TrueResiduals, AreInTheMessageOfASolveThatFails) {
  const auto quark = quark_operator<float>(gauge_, GetParam(), choice());
  const SpinorField<float> b(lattice_, "b"), x = b.like("x");
  load(b, reference::random_array(lattice_.extent(), 12, 92));
  Solver<SpinorField<float>> beyond = *quark.solver;
  beyond.tolerance = 1e-12;
  std::string message;
  try {
    beyond(*quark.M, b, x);
  } catch (const ConvergenceError& error) {
    message = error.what();
  }
  zero(x);
  beyond.on_failure = OnFailure::report;
  const SolveReport report = beyond(*quark.M, b, x);
  expect_residuals_in_double(report, b, x);
  EXPECT_NE(report.residual, report.stopping_residual);
  // All but the seconds, and what is computed from them.
  const auto until_tolerance = [](const std::string& text) { return text.substr(0, text.find("(tolerance")); };
  EXPECT_EQ(until_tolerance(message), until_tolerance(report.text()));
  EXPECT_NE(message.find("by its stopping rule"), std::string::npos) << message;
  EXPECT_NE(message.find("or solve in double or mixed precision"), std::string::npos) << message;
}

TEST_P(TrueResiduals, ColumnsTogetherAreOfEachColumn) {
  const auto quark = quark_operator<float>(gauge_, GetParam(), choice(), 6);
  const SpinorField<float> b(lattice_, "b", 6), x = b.like("x");
  load(b, reference::random_array(lattice_.extent(), 72, 93));
  zero(b.column(4));
  scale(1000, b.column(2));
  const SolveReport report = (*quark.solver)(*quark.M, b, x);
  expect_reported(report, b, x);
  EXPECT_EQ(report.column_residuals[4], 0);
}

INSTANTIATE_TEST_SUITE_P(Actions, TrueResiduals,
                         testing::Values(QuarkAction{.kappa = 0.12, .mass = 1 / 0.24 - 4},
                                         QuarkAction{.kappa = 0.12, .mass = 1 / 0.24 - 4, .c_sw = 1.2, .theta_t = 0.5},
                                         QuarkAction{.kappa = 0.12, .mass = 1 / 0.24 - 4, .mu = 0.2},
                                         QuarkAction{.kappa = 0.12, .mass = 1 / 0.24 - 4, .action = "naik"},
                                         QuarkAction{.kappa = 0.12, .mass = 1 / 0.24 - 4, .action = "hamber-wu"}));

}  // namespace test_quark_operator
}  // namespace
}  // namespace kov::app
