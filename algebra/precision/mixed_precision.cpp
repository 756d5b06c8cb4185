// SPDX-License-Identifier: MIT
#include "kov/algebra/precision/mixed_precision.hpp"

#include "kov/algebra/precision/precision_stages.hpp"
#include "kov/algebra/solve_columns.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace kov {

namespace {

/// The tolerances of each solve for a correction: far enough above the rounding of its precision to be reached.
constexpr double tolerance_in_single = 1e-5, tolerance_in_double = 1e-12;
constexpr int refinement_patience = 3;
/// What each of them reduces a residual by at least, if its precision is of use.
constexpr double a_digit = 0.1;

/// The part of a solve that is done in single precision, as a solver.
struct StageInSingle {
  double tolerance;
  int max_iterations;
  ProgressCallback progress;
  OnFailure on_failure = OnFailure::report;
  std::string name() const { return "defect correction in single precision"; }
};

/// The residual of each of n columns; the largest of all where the report does not have them.
ByColumn<double> residuals_of(const SolveReport& report, int n) {
  return int(report.column_residuals.size()) == n ? report.column_residuals
                                                  : ByColumn<double>::repeated(n, report.residual);
}

/// Why the solve of column k of n did not converge, and how it ended; those of all columns where the report has no own.
struct Failure {
  std::string reason;
  SolveEnd end;
};
Failure failure_of(const SolveReport& report, int k, int n) {
  const std::size_t i = std::size_t(k);
  return {int(report.column_reasons.size()) == n ? report.column_reasons[i] : report.reason,
          int(report.column_ends.size()) == n ? report.column_ends[i] : SolveEnd::otherwise};
}

/// Those for which it ended, not converged, without a digit.
ColumnMask without_a_digit(const SolveReport& report, int n) {
  const ByColumn<double> residual = residuals_of(report, n);
  ColumnMask columns(n);
  for (int k = 0; k < n; ++k)
    if (!failure_of(report, k, n).reason.empty() && !(residual[std::size_t(k)] <= a_digit)) columns.finish(k);
  return columns;
}

/// x, its defects b - A x, and corrections that make them smaller.
class Defects {
 public:
  Defects(const Operator<Vector>& A, const Vector& b, const ByColumn<double>& bb, const Vector& x, double tolerance)
      : A_(A), b_(b), x_(x), r_(b.like("residual")), e_(b.like("correction")), bb_(bb), tolerance_(tolerance) {
    compute();
  }
  /// |b_k - A x_k| / |b_k|
  ByColumn<double> residual() const { return sqrt(rr_ / bb_); }
  const Vector& r() const { return r_; }

  /// Adds a correction to the columns that run.stopped() does not name; solve(goal, r, e, others) finds it for
  /// r_k / |r_k|, to `least` at best; precision: what messages call it.  Returns its report.
  template <class Solve>
  SolveReport correct(SolveRun& run, double least, const std::string& precision, const Solve& solve) {
    const ColumnMask over = run.stopped();
    const ByColumn<double> size = sqrt(rr_), residual = this->residual();
    scale(1 / size, r_, over);
    // Enough for all columns.
    const double goal = std::max(least, std::min(a_digit, smallest_unfinished(0.5 * tolerance_ / residual, over)));
    const SolveReport inner = solve(goal, r_, e_, over);
    run.add(inner, residual);
    const int n = b_.n_components();
    const ColumnMask useless = not_above(1.0, residuals_of(inner, n));  // no better than 0
    axpy(size, e_, x_, over | useless);                                 // x = x + e
    for (int k = 0; k < n; ++k) {
      if (!useless.is_finished(k) || run.stopped().is_finished(k)) continue;
      const Failure failure = failure_of(inner, k, n);
      run.give_up(k,
                  sentence("in", precision, inner.solver,
                           "found no correction that makes the residual smaller, because", failure.reason),
                  failure.end);
    }
    compute();
    return inner;
  }

 private:
  void compute() { rr_ = true_residual_by_column(A_, b_, x_, r_); }

  const Operator<Vector>& A_;
  Vector b_, x_, r_, e_;
  ByColumn<double> bb_, rr_;
  double tolerance_;
};

}  // namespace

SolveReport detail::correct_defects(SolveRun run, double tolerance, const Operator<Vector>& A, const Vector& b,
                                    const Vector& x, const Vector& low_r, const SolveForCorrection& in_low,
                                    const SolveForCorrection& in_high) {
  const ByColumn<double> bb = norm2_by_column(b);
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  Defects defects(A, b, bb, x, tolerance);
  const auto inner_progress = [&](const SolveRun& of) {
    return of.inner_progress(largest_unfinished(defects.residual(), of.stopped()));
  };
  const auto solve_in_single = [&] {
    const Vector low_e = low_r.like("correction");
    SolveRun low_run(StageInSingle{tolerance, run.iterations_left(), run.inner_progress(1)}, b);
    low_run.solve_zeros(bb, b, x);
    const auto solve = [&](double goal, const Vector& r, const Vector& e, const ColumnMask& others) {
      convert(r, low_r);
      zero(low_e);
      copy(low_e, low_r, others.complement());
      // The other half is for double, should this lead nowhere.
      const int most = (low_run.iterations_left() + 1) / 2;
      const SolveReport report = in_low(goal, most, inner_progress(low_run), low_r, low_e);
      convert(low_e, e);
      return report;
    };
    while (!low_run.over(defects.residual(), refinement_patience)) {
      const SolveReport inner = defects.correct(low_run, tolerance_in_single, "single precision", solve);
      low_run.give_up(without_a_digit(inner, b.n_components()), "single precision brings it no further");
    }
    run.add(low_run.finish(defects.r(), b));
  };
  const auto correct_in_double = [&] {
    defects.correct(run, tolerance_in_double, "double precision",
                    [&](double goal, const Vector& r, const Vector& e, const ColumnMask& others) {
                      zero(e);
                      const auto solve = [&](const Operator<Vector>&, const Vector& source, const Vector& solution) {
                        return in_high(goal, run.iterations_left(), inner_progress(run), source, solution);
                      };
                      return solve_columns(solve, A, r, e, others);
                    });
  };
  solve_in_stages(
      run, [&] { return run.over(defects.residual(), stages_patience); }, solve_in_single, correct_in_double);
  return run.finish(defects.r(), b);
}

}  // namespace kov
