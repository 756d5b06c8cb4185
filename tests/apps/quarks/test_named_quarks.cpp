// SPDX-License-Identifier: MIT
//
// The memory that jobs with quarks expect, beside what operators and solves of every kind take, and batches.
#include "apps/propagator/propagator_plan.hpp"
#include "apps/quarks/quark_operator.hpp"
#include "apps/quarks/quark_solver.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/base/memory_use.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/gauge/heatbath.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <set>

namespace kov::app {
namespace test_named_quarks {

PropagatorParameters with(const std::vector<std::string>& assignments) {
  PropagatorParameters p;
  Settings s = p.settings();
  if (!has_hdf5()) s.assign("output.format=scidac");
  for (const std::string& assignment : assignments) s.assign(assignment);
  p.complete(s);
  return p;
}

template <class T>
class Solves {
 public:
  Solves() : gauge_(Lattice(Comm::world(), {4, 4, 4, 8}), "gauge", 4) { hot_start(gauge_, 1); }

  double sites() const { return double(gauge_.lattice().geometry().local_volume()); }
  /// The solution, of the first column alone where they are solved for one by one, and the bytes that it and the
  /// operator took.
  Propagator<T> operator()(const NamedQuark& quark, int n_columns, double& bytes) const {
    const Propagator<T> source = point_source<T>(gauge_.lattice(), {0, 0, 0, 0});
    std::optional<Propagator<T>> solution;
    bytes = double(most_bytes_of([&] {
      const QuarkSolver<T> solver(gauge_, quark, quark.solver, n_columns);
      if (quark.solver.is_together()) {
        solution = solver.solve(source, [](const SolveReport&, int) {}).propagator;
      } else {
        solution = source.like("solution");
        solver.solve_column(source, 0, *solution);
      }
    }));
    return std::move(*solution);
  }

 private:
  GaugeField<double> gauge_;
};

using Assignments = std::vector<std::string>;

/// Precisions of operators with and without blocks.
std::vector<Assignments> precisions() {
  std::vector<Assignments> jobs;
  for (const char* precision : {"double", "mixed", "reliable", "single"})
    for (const char* c_sw : {"0", "1"})
      jobs.push_back({std::string("solver.precision=") + precision, std::string("quark.0.c_sw=") + c_sw});
  return jobs;
}

/// Solvers that differ in what they keep and work in.
std::vector<Assignments> other_solvers(bool together) {
  std::vector<Assignments> jobs{
      {"solver.preconditioner=even-odd-symmetric", "quark.0.c_sw=1", "quark.0.mu=0.1"},
      {"solver.precision=reliable", "solver.preconditioner=none"},
      {"solver.precision=reliable", "solver.preconditioner=none", "solver.method=cg"},
      {"solver.precision=reliable", "solver.method=cg"},
      {"solver.precision=reliable", "solver.method=cg", "solver.deflation=4", "quark.0.kappa=0.15"},
      {"solver.precision=single", "solver.preconditioner=none"},
      {"solver.method=cgne", "solver.precision=double"},
      {"solver.method=mr", "solver.precision=double"},
  };
  for (const char* precision : {"double", "mixed"}) {
    const std::string in = std::string("solver.precision=") + precision;
    jobs.insert(jobs.end(),
                {{in, "solver.method=bicgstab-4"},
                 {in, "solver.method=cg"},
                 // More iterations than GCR keeps directions.
                 {in, "solver.method=gcr", "quark.0.kappa=0.15", "solver.tolerance=1e-6"},
                 {in, "solver.method=gcr", "quark.0.kappa=0.15", "solver.tolerance=1e-6",
                  "solver.preconditioner=schwarz", "solver.schwarz_block=[2, 2, 2, 4]", "solver.schwarz_form=additive",
                  "solver.schwarz_cycles=1", "solver.schwarz_steps=1"},
                 {in, "solver.preconditioner=none"},
                 {in, "solver.links=12", "quark.0.c_sw=1"},
                 {in, "solver.links=12", "solver.preconditioner=none"},
                 {in, "solver.gauge=temporal", "quark.0.c_sw=1"},
                 {in, "solver.deflation=4", "solver.method=cg", "quark.0.kappa=0.15"},
                 {in, "quark.0.action=naik"},
                 {in, "quark.0.action=naik", "solver.deflation=4", "solver.method=cg", "quark.0.kappa=0.15"},
                 {in, "quark.0.action=naik", "solver.preconditioner=none"}});
  }
  if (together) {
    jobs.push_back({"solver.method=block-cg"});
    if (has_packs) return jobs;
  }
  for (const char* precision : {"reliable-16", "single-16"}) {
    const std::string in = std::string("solver.precision=") + precision;
    for (const char* links : {"18", "12"}) jobs.push_back({in, std::string("solver.links=") + links});
    jobs.push_back({in, "solver.method=cg"});
    jobs.push_back({in, "solver.method=cg", "solver.deflation=4", "quark.0.kappa=0.15"});
  }
  return jobs;
}

/// Compares what solves take with what is expected of them; fewer: also of fewer columns at once.
void expect_memory(const std::vector<Assignments>& jobs, const std::string& columns, bool fewer) {
  const Solves<double> in_double;
  const Solves<float> in_single;
  for (Assignments settings : jobs) {
    std::string text = columns;
    for (const std::string& setting : settings) text += ", " + setting;
    settings.insert(settings.begin(), {"quark.0.kappa=0.05", "solver.tolerance=1e-3", "solver.columns=" + columns});
    const PropagatorParameters p = with(settings);
    const NamedQuark& quark = p.quarks.front();
    const int most = p.solver.columns_at_once();
    for (const int n : std::set<int>{most, fewer ? fewer_columns(p.solver, most) : most}) {
      double taken = 0;
      if (p.solver.is_single())
        in_single(quark, n, taken);
      else
        in_double(quark, n, taken);
      const double of_solution = 288 * (p.solver.is_single() ? 4 : 8);
      const double expected =
          in_double.sites() * (of_solution + operator_bytes_per_site(quark, n) + work_bytes_per_site(quark, n));
      const double halos = Comm::world().size() > 1 ? 0.02 * expected : 0;
      EXPECT_LT(taken, expected + halos) << text << ", " << n << " columns";
      // These solves do not come to what mixed precision may do in double; eigenvectors are found in less.
      const double least = p.solver.is_mixed() || p.solver.deflation > 0 ? 0.5 : 0.7;
      EXPECT_GT(taken, least * expected) << text << ", " << n << " columns";
    }
  }
}

TEST(QuarkMemory, OfASolveIsWhatItTakes) {
  for (const char* columns : {"one by one", "together"}) expect_memory(precisions(), columns, true);
}

TEST(QuarkMemory, IsThatOfEverySolver) {
  for (const char* columns : {"one by one", "together"})
    expect_memory(other_solvers(std::string(columns) == "together"), columns, false);
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
  EXPECT_EQ(n, 1);
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
  EXPECT_EQ(least.columns, (std::vector<int>{1, 1}));
  EXPECT_FALSE(least.keeps_operators);
}

}  // namespace test_named_quarks
}  // namespace kov::app
