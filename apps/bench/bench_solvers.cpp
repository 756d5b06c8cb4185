// SPDX-License-Identifier: MIT
#include "apps/bench/bench_solvers.hpp"

#include "apps/bench/bench_rows.hpp"
#include "apps/bench/roof.hpp"
#include "apps/settings/format.hpp"
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/krylov/multi_shift.hpp"
#include "kov/algebra/krylov/scalar_propagator.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/algebra/preconditioning/schwarz.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

namespace kov::app {

namespace {

/// Of a solve; too few for any solver to reach its tolerance.
constexpr int n_iterations = 10;

/// A solver with what one of its iterations costs a site.
struct SolverCase {
  std::string name;
  /// Of the field that is solved for.
  double sites = 0;
  /// The operators of an iteration.
  double operator_reals = 0, operator_flops = 0;
  /// The updates and sums of an iteration.
  double reals = 0, flops = 0;
  /// n_iterations of them, from zero, with a callback after each.
  std::function<void(const ProgressCallback&)> solve;
  /// The operators alone, as often as in one iteration.
  std::function<void()> operators;
};

template <class Solver>
Solver short_solver(const ProgressCallback& progress) {
  return {.tolerance = 1e-30, .max_iterations = n_iterations, .on_failure = OnFailure::report, .progress = progress};
}

/// Reals and flops of vector algebra a spinor site: of BiCGstab six inner products and two norms over five reads, an
/// update of two reads and one write, and three of five reads and three writes, coefficients complex.
constexpr double bicgstab_reals = (5 + 3 + 8) * 24, bicgstab_flops = 12 * (6 * 8 + 2 * 4 + 8 + 40);

/// Those of conjugate gradients: four sums over three reads, and three updates with four reads and three writes.
constexpr double cg_reals = (3 + 4 + 3) * 24, cg_flops = (4 * 2 + 3 * 2) * 24;

/// M^+ M of a reduced operator; work: between the two, of as many columns as it is mostly applied to.
template <class Reduced>
Operator<typename Reduced::F> squared(const Reduced& reduced, const typename Reduced::F& work) {
  using F = typename Reduced::F;
  return [=](const F& in, const F& out) {
    const F between = in.conforms(work) ? work.alias() : in.like("work");  // renewals are of some of the columns
    reduced.apply(in, between);
    reduced.apply_adjoint(between, out);
  };
}

template <class T>
std::vector<SolverCase> wilson_solvers(BenchRows<T>& rows) {
  const double V = rows.sites, M_reals = 48 + rows.link_reals, M_flops = 1320 + 48;
  const WilsonOperator<T> M(rows.links, 0.1);
  const SpinorField<T> b = rows.a.alias(), x = b.like("x"), work = b.like("work");
  std::vector<SolverCase> cases;
  const auto twice_M = [=] {
    M.apply(b, work);
    M.apply(b, work);
  };
  cases.push_back({"CG, normal equations", V, 2 * M_reals, 2 * M_flops, cg_reals, cg_flops,
                   [=](const ProgressCallback& progress) {
                     zero(x);
                     short_solver<NormalConjugateGradient>(progress)(M, b, x);
                   },
                   [=] {
                     M.apply(b, work);
                     M.apply_adjoint(b, work);
                   }});
  cases.push_back({"BiCGstab", V, 2 * M_reals, 2 * M_flops, bicgstab_reals, bicgstab_flops,
                   [=](const ProgressCallback& progress) {
                     zero(x);
                     short_solver<BiCgStab>(progress)(M, b, x);
                   },
                   twice_M});
  const SchurComplement reduced(M);
  const SpinorField<T> even = b.even(), even_work = work.even();
  // Two hops of each reduced operator, the second with a diagonal.
  const double reduced_reals = 2 * (48 + rows.hop_link_reals) + 24, reduced_flops = 2 * 1320 + 48;
  cases.push_back({"BiCGstab, even-odd", V / 2, 2 * reduced_reals, 2 * reduced_flops, bicgstab_reals, bicgstab_flops,
                   [=](const ProgressCallback& progress) {
                     zero(x);
                     EvenOdd<T>(M, short_solver<BiCgStab>(progress))(M, b, x);
                   },
                   [=] {
                     reduced.apply(even, even_work);
                     reduced.apply(even, even_work);
                   }});
  const Operator<SpinorField<T>> square = squared(reduced, even_work);
  const SpinorField<T> even_x = x.even(), even_out = even.like("even out");
  cases.push_back({"CG, even-odd, M^+ M", V / 2, 2 * reduced_reals, 2 * reduced_flops, cg_reals, cg_flops,
                   [=](const ProgressCallback& progress) {
                     zero(even_x);
                     short_solver<ConjugateGradient>(progress)(square, even, even_x);
                   },
                   [=] { square.apply(even, even_out); }});
  // The further shift has an update of three reads and two writes.
  const SpinorField<T> shifted_x = even_x.like("shifted x");
  cases.push_back({"CG, two shifts, even-odd, M^+ M", V / 2, 2 * reduced_reals, 2 * reduced_flops, cg_reals + 5 * 24,
                   cg_flops + 12 * 8,
                   [=](const ProgressCallback& progress) {
                     short_solver<MultiShiftConjugateGradient>(progress)(square, std::array{0.0, 0.1}, even,
                                                                         std::array{even_x.alias(), shifted_x.alias()});
                   },
                   [=] { square.apply(even, even_out); }});
  return cases;
}

/// GCR with a Schwarz procedure, where blocks fit.
template <class T>
std::optional<SolverCase> schwarz_solver(BenchRows<T>& rows) {
  const auto block = schwarz_block(rows.lattice);
  if (!block) return {};
  const SchwarzParameters parameters{.block = *block, .cycles = 2, .steps = 2, .sites = BlockSites::even};
  const WilsonOperator<T> M(rows.links, 0.1);
  const Schwarz<T> sap(M, rows.gauge, {}, parameters);
  const SpinorField<T> b = rows.a.alias(), x = b.like("x"), work = b.like("work");
  // A cycle: steps on even sites, of two hops and vector algebra over seven fields, and what reduces and completes;
  // blocks are gathered, and added to the solution.  Between turns a residual.
  const double M_reals = 48 + rows.link_reals, M_flops = 1320 + 48, hop_reals = 48 + rows.hop_link_reals;
  const int cycles = parameters.cycles, steps = parameters.steps, between = 2 * cycles - 1;
  const double step_reals = hop_reals + 12 + 7 * 12, step_flops = 1320 + 24 + 24 * 7;
  const double reals = cycles * (steps * step_reals + hop_reals + 24 + 5 * 24) + between * (M_reals + 3 * 24);
  const double flops = cycles * (steps * step_flops + M_flops + 24) + between * (M_flops + 2 * 24);
  // Over the directions so far, 4.5 on average.
  constexpr double directions = (n_iterations - 1) / 2.0;
  return SolverCase{"GCR, Schwarz",
                    rows.sites,
                    M_reals + reals,
                    M_flops + flops,
                    (8 * directions + 14) * 24,
                    12 * (24 * directions + 40),
                    [=](const ProgressCallback& progress) {
                      zero(x);
                      Gcr gcr = short_solver<Gcr>(progress);
                      gcr.preconditioner = sap;
                      gcr(M, b, x);
                    },
                    [=] {
                      sap.apply(b, work);
                      M.apply(b, work);
                    }};
}

/// Conjugate gradients on M^+ M of even sites, links of 12 reals, n columns with sites in lanes: in T, or with reliable
/// updates in T and all else in Low.  It has no row beside the triad.
template <class T, class Low>
SolverCase cg_of_12_reals(BenchRows<T>& rows, const std::string& name, int n) {
  constexpr bool mixed = !std::is_same_v<T, Low>;
  const auto reduced_square = [&]<class Storage>(Storage) {
    using F = Field<Spinor, Storage>;
    const WilsonOperator<Links12<Storage>> M(GaugeLinks<Links12<Storage>>(rows.gauge), 0.1);
    return squared(SchurComplement<Links12<Storage>, MassTerm, F>(M, n), F(rows.lattice, "work", n, Subset::even));
  };
  const auto low = reduced_square(Low());
  const SpinorField<T> b(rows.lattice, "b", n, Subset::even), x = b.like("x");
  fill_for_bench(b, 1);
  const Field<Spinor, Low> in(rows.lattice, "in", n, Subset::even), out = in.like("out");
  convert(b, in);
  std::function<void(const ProgressCallback&)> solve;
  if constexpr (mixed) {
    const auto high = reduced_square(T());
    solve = [=](const ProgressCallback& progress) {
      zero(x);
      ReliableUpdates<Low, T>(low, short_solver<ConjugateGradient>(progress))(high, b, x);
    };
  } else {
    solve = [=](const ProgressCallback& progress) {
      zero(x);
      short_solver<ConjugateGradient>(progress)(low, b, x);
    };
  }
  SolverCase made;
  made.name = name;
  made.solve = solve;
  made.operators = [=] { low.apply(in, out); };
  return made;
}

/// Calls f with each of these in all pairs of precisions, for one column and for twelve, whose fields take most of a
/// memory: one case is gone before the next.
template <class T, class F>
void for_each_cg_of_12_reals(BenchRows<T>& rows, const F& f) {
  for (const int n : {1, 12}) {
    const std::string name = "CG, even-odd, 12 reals", columns = n == 1 ? "" : ", 12 columns";
    f(cg_of_12_reals<T, T>(rows, name + columns, n));
    if constexpr (sizeof(T) == 8) f(cg_of_12_reals<T, float>(rows, name + ", float" + columns, n));
    f(cg_of_12_reals<T, Fixed16>(rows, name + ", 16 bits" + columns, n));
  }
}

/// n_iterations of BiCGstab, whatever tolerance is asked for.
struct ShortBiCgStab {
  double tolerance;
  int max_iterations = 2 * n_iterations;
  OnFailure on_failure = OnFailure::report;
  ProgressCallback progress;
  std::string name() const { return "short BiCGstab"; }
  template <class F>
  SolveReport operator()(const Operator<F>& A, const F& b, const F& x) const {
    return short_solver<BiCgStab>(progress)(A, b, x);
  }
};

/// Iterations in single precision and one correction in double, after which the tolerance, a loose one, is reached.
SolverCase mixed_solver(BenchRows<double>& rows) {
  const WilsonOperator<double> M(rows.links, 0.1);
  const WilsonOperator<float> low(GaugeLinks<float>(rows.gauge), 0.1);
  const SpinorField<double> b = rows.a.alias(), x = b.like("x");
  const SpinorField<float> in(rows.lattice, "in"), work = in.like("work");
  fill_for_bench(in, 1);
  // Reals of a double's row are doubles.
  return {"BiCGstab, mixed precision",
          rows.sites,
          48.0 + rows.link_reals,
          2.0 * 1368,
          bicgstab_reals / 2,
          bicgstab_flops,
          [=](const ProgressCallback& progress) {
            zero(x);
            MixedPrecision(low, ShortBiCgStab{.tolerance = 0.5, .progress = progress})(M, b, x);
          },
          [=] {
            low.apply(in, work);
            low.apply(in, work);
          }};
}

template <class T>
SolverCase scalar_solver(BenchRows<T>& rows) {
  const ScalarOperator<T> A(rows.links, 0.5);
  const Field<ColorVector, T> b = rows.u.alias(), x = b.like("x"), work = b.like("work");
  return {"CG, scalar operator, colour vector",
          rows.sites,
          12 + rows.link_reals,
          8 * 72 + 12,
          12 + 3 * 18,
          24 + 12 + 24 + 12,
          [=](const ProgressCallback& progress) {
            zero(x);
            short_solver<ConjugateGradient>(progress)(A, b, x);
          },
          [=] { A.apply(b, work); }};
}

template <class T>
std::vector<SolverCase> solver_cases(BenchRows<T>& rows) {
  std::vector<SolverCase> cases = wilson_solvers(rows);
  if (const auto schwarz = schwarz_solver(rows)) cases.push_back(*schwarz);
  cases.push_back(scalar_solver(rows));
  if constexpr (sizeof(T) == 8) cases.push_back(mixed_solver(rows));
  return cases;
}

/// Seconds from each iteration of a solve to the next: its start and its end, which look at the true residual, are not
/// among them.  Every iteration waits for its sums.
void add_iterations(const SolverCase& c, std::vector<double>& seconds) {
  std::vector<double> marks;
  const Kokkos::Timer timer;
  c.solve([&](const SolveProgress&) { marks.push_back(timer.seconds()); });
  for (std::size_t k = 1; k < marks.size(); ++k) seconds.push_back(marks[k] - marks[k - 1]);
}

}  // namespace

template <class T>
void add_solver_rows(BenchRows<T>& rows) {
  // A solve begins and ends with the true residual: about two operators more.
  constexpr double applications = 1 + 1.0 / n_iterations;
  for (const SolverCase& c : solver_cases(rows))
    rows.add(
        c.name, c.sites, c.operator_reals * applications + c.reals, c.operator_flops * applications + c.flops,
        [solve = c.solve] { solve({}); }, n_iterations);
}

template <class T>
void bench_solvers(const Session& session, const Lattice& lattice, double seconds) {
  BenchRows<T> rows(lattice);
  const auto time = [&](const SolverCase& c) {
    std::vector<double> iterations, operators;
    const Kokkos::Timer timer;
    do {
      add_iterations(c, iterations);
      for (int k = 0; k < n_iterations; ++k) {
        Kokkos::fence();
        const Kokkos::Timer one;
        c.operators();
        Kokkos::fence();
        operators.push_back(one.seconds());
      }
    } while (timer.seconds() < seconds);
    const double iteration = median(iterations), of_operators = median(operators);
    session.say(format("%-12s %-44s %-6s %12.3f %12.3f %9.0f", to_string(lattice.extent()).c_str(), c.name.c_str(),
                       sizeof(T) == 8 ? "double" : "float", iteration * 1e3, of_operators * 1e3,
                       100 * of_operators / iteration));
  };
  for (const SolverCase& c : solver_cases(rows)) time(c);
  for_each_cg_of_12_reals(rows, time);
}

template void add_solver_rows(BenchRows<float>&);
template void add_solver_rows(BenchRows<double>&);
template void bench_solvers<float>(const Session&, const Lattice&, double);
template void bench_solvers<double>(const Session&, const Lattice&, double);

}  // namespace kov::app
