// SPDX-License-Identifier: MIT
//
// The memory that jobs with quarks expect, beside what operators and solves take, and batches of propagators.
#include "apps/propagator/propagator_plan.hpp"
#include "apps/quarks/quark_operator.hpp"
#include "apps/quarks/quark_solver.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/base/memory_use.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/gauge/heatbath.hpp"

#include <gtest/gtest.h>
#include <optional>

namespace kov::app {
namespace test_named_quarks {

PropagatorParameters with(const std::vector<std::string>& assignments) {
  PropagatorParameters p;
  Settings s = p.settings();
  for (const std::string& assignment : assignments) s.assign(assignment);
  p.complete(s);
  return p;
}

template <class T>
class Solves {
 public:
  Solves() : gauge_(Lattice(Comm::world(), {4, 4, 4, 8}), "gauge", 4) { hot_start(gauge_, 1); }

  double sites() const { return double(gauge_.lattice().geometry().local_volume()); }
  /// The solution, and the bytes that it and the operator took.
  Propagator<T> operator()(const NamedQuark& quark, int n_columns, double& bytes) const {
    const Propagator<T> source = point_source<T>(gauge_.lattice(), {0, 0, 0, 0});
    std::optional<Propagator<T>> solution;
    bytes = double(most_bytes_of([&] {
      const QuarkSolver<T> solver(gauge_, quark, quark.solver, n_columns);
      solution = solver.solve(source, [](const SolveReport&, int) {}).propagator;
    }));
    return std::move(*solution);
  }

 private:
  GaugeField<double> gauge_;
};

TEST(QuarkMemory, OfASolveIsWhatItTakes) {
  const Solves<double> solves;
  const Solves<float> in_single;
  for (const char* columns : {"one by one", "together"})
    for (const char* precision : {"double", "mixed", "reliable", "single"})
      for (const char* c_sw : {"0", "1"}) {
        const PropagatorParameters p =
            with({"quark.0.kappa=0.05", std::string("quark.0.c_sw=") + c_sw, "solver.tolerance=1e-3",
                  std::string("solver.precision=") + precision, std::string("solver.columns=") + columns});
        const NamedQuark& quark = p.quarks.front();
        double taken = 0;
        const auto solve = [&](int n) {
          if (p.solver.is_single())
            in_single(quark, n, taken);
          else
            solves(quark, n, taken);
        };
        const int most = quark.solver.columns_at_once();
        for (const int n : {most, fewer_columns(quark.solver, most)}) {
          solve(n);
          const double of_solution = 288 * (p.solver.is_single() ? 4 : 8);
          const double expected =
              solves.sites() * (of_solution + operator_bytes_per_site(quark) + solve_bytes_per_site(quark, n));
          EXPECT_LT(taken, 1.1 * expected) << columns << " " << precision << " " << c_sw << " " << n;
          EXPECT_GT(taken, 0.4 * expected) << columns << " " << precision << " " << c_sw << " " << n;
        }
      }
}

TEST(QuarkMemory, ColumnsOfASolveChangeNoBitInOnePrecision) {
  const Solves<double> solves;
  for (const char* method : {"bicgstab", "gcr", "cg"}) {
    const PropagatorParameters p = with({"quark.0.kappa=0.06", "solver.precision=double", "solver.tolerance=1e-6",
                                         "solver.columns=together", std::string("solver.method=") + method});
    double most = 0, least = 0;
    const Propagator<double> expected = solves(p.quarks.front(), 12, most);
    for (int n = 12; fewer_columns(p.solver, n) < n;) {
      n = fewer_columns(p.solver, n);
      const Propagator<double> found = solves(p.quarks.front(), n, least);
      EXPECT_LT(least, most);
      axpy(-1.0, expected.columns(), found.columns());
      for (const double square : norm2_by_column(found.columns())) EXPECT_EQ(square, 0) << method << " " << n;
    }
  }
}

TEST(QuarkMemory, ColumnsArePartsOfTwelve) {
  SolverChoice solver;
  solver.columns = "one by one";
  EXPECT_EQ(fewer_columns(solver, 1), 1);
  solver.columns = "together";
  int n = 12;
  for (int fewer = fewer_columns(solver, n); fewer < n; fewer = fewer_columns(solver, n = fewer))
    EXPECT_EQ(12 % fewer, 0);
  EXPECT_EQ(n, TogetherLanes::holds_columns ? 4 : 1);
  solver.method = "block-cg";
  EXPECT_EQ(fewer_columns(solver, 12), 12);
}

TEST(PropagatorMemory, HasBatchesThatFit) {
  const PropagatorParameters p =
      with({"solver.columns=together", "quark.0.name=light", "quark.1.name=strange", "quark.1.columns=one by one"});
  const double sites = 1e5, all = propagator_job_bytes(p, sites, PropagatorBatches::of(p));
  const PropagatorBatches plenty = batches_that_fit(p, sites, all);
  EXPECT_EQ(plenty.columns, (std::vector<int>{12, 1}));
  EXPECT_TRUE(plenty.keeps_operators);
  PropagatorBatches least;
  for (double bytes = all;; bytes *= 0.98) try {
      least = batches_that_fit(p, sites, bytes);
      EXPECT_LE(propagator_job_bytes(p, sites, least), bytes);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("with the smallest batches, but there are"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("raise memory.limit"), std::string::npos);
      break;
    }
  EXPECT_EQ(least.columns, (std::vector<int>{TogetherLanes::holds_columns ? 4 : 1, 1}));
  EXPECT_FALSE(least.keeps_operators);
}

}  // namespace test_named_quarks
}  // namespace kov::app
