// SPDX-License-Identifier: MIT
//
// What the message of a failed solve for columns of a propagator says.
#include "apps/quarks/quark_operator.hpp"
#include "apps/quarks/quark_solver.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/gauge/heatbath.hpp"

#include <gtest/gtest.h>

namespace kov::app {
namespace {
namespace test_quark_solver {

class FailedSolve : public testing::Test {
 protected:
  FailedSolve() : gauge_(Lattice(Comm::world(), {4, 4, 4, 8}), "gauge", 4) { hot_start(gauge_, 1); }

  /// From (1, 2, 3, 4), where only these columns have a source: others are solved by zeros.
  std::string message(const SolverChoice& choice, int n_columns, const std::vector<int>& columns) const {
    const Propagator<double> source = point_source<double>(gauge_.lattice(), {1, 2, 3, 4});
    for (int k = 0; k < 12; ++k)
      if (std::count(columns.begin(), columns.end(), k) == 0) zero(source.column(k));
    const QuarkSolver<double> solver(gauge_, {.kappa = 0.1, .mass = 1}, choice, n_columns);
    try {
      solver.solve(source, [](const SolveReport&, int) {});
    } catch (const ConvergenceError& error) {
      return error.what();
    }
    return "";
  }
  /// That it begins with the source and the solver, and goes on with these columns.
  static void expect_columns(const std::string& text, const std::string& columns) {
    const std::string begin = "source at [1 2 3 4], even-odd BiCGstab: 2 iterations, residual ";
    EXPECT_EQ(text.substr(0, begin.size()), begin);
    EXPECT_NE(text.find("; not converged: " + columns +
                        ": the limit of 2 iterations was reached; the solution is not "
                        "usable: allow more iterations"),
              std::string::npos)
        << text;
  }

 private:
  GaugeField<double> gauge_;
};

TEST_F(FailedSolve, OfOneColumnNamesItAndTheSource) {
  const SolverChoice choice{.precision = "double", .max_iterations = 2, .columns = "one by one"};
  expect_columns(message(choice, 1, {7}), "column 7 of 12");
}

TEST_F(FailedSolve, OfColumnsTogetherNamesThoseThatFailed) {
  const SolverChoice choice{.precision = "double", .max_iterations = 2, .columns = "together"};
  expect_columns(message(choice, 12, {3, 7}), "columns 3, 7 of 12");
  expect_columns(message(choice, 4, {5}), "column 5 of 12");
}

TEST_F(FailedSolve, IsNamedByWhatItIsOf) {
  const auto fail = [] { return naming("conf.0010", []() -> int { throw ConvergenceError("quark light failed"); }); };
  try {
    fail();
    FAIL() << "did not throw";
  } catch (const ConvergenceError& error) {
    EXPECT_STREQ(error.what(), "conf.0010, quark light failed");
  }
  EXPECT_THROW(naming("conf.0010", [] { throw InputError("a key"); }), InputError);
}

}  // namespace test_quark_solver
}  // namespace
}  // namespace kov::app
