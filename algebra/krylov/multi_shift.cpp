// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/multi_shift.hpp"

#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/krylov_loops.hpp"
#include "kov/algebra/solve_columns.hpp"
#include "kov/core/site/max_or_nan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace kov {

namespace {

constexpr int multi_shift_patience = 2;

/// A + shift.
struct Shifted {
  Operator<Vector> A;
  double shift;
  void apply(const Vector& in, const Vector& out) const {
    A.apply(in, out);
    if (shift != 0) axpy(shift, in, out);
  }
};

/// Systems whose residuals are `factor` times those of the smallest shift, one for each column; their directions are
/// kept divided by the factors.
struct FollowingSystems {
  double excess;  // of their shift over the smallest
  Vector x, direction;
  ByColumn<double> factor, factor_before;
  ColumnMask solved;

  FollowingSystems(double excess_, const Vector& x_, const Vector& b)
      : excess(excess_),
        x(x_),
        direction(b.like("direction")),
        factor(ByColumn<double>::repeated(b.n_components(), 1)),
        factor_before(factor),
        solved(b.n_components()) {
    copy(b, direction);
  }

  /// From one iteration to the next.  alpha: the steps of this iteration; alpha_before and beta_before: of the last.
  void follow(const ByColumn<double>& alpha, const ByColumn<double>& alpha_before,
              const ByColumn<double>& beta_before) {
    for (std::size_t k = 0; k < factor.size(); ++k) {
      const double next = factor[k] * factor_before[k] * alpha_before[k] /
                          (alpha[k] * beta_before[k] * (factor_before[k] - factor[k]) +
                           factor_before[k] * alpha_before[k] * (1 + excess * alpha[k]));
      factor_before[k] = std::exchange(factor[k], next);
    }
  }
};

/// Iterates from x = 0 until the residuals of all systems are at most sqrt(goal_k) in the recursion.
void solve_together(const Shifted& smallest, const Vector& b, const ByColumn<double>& bb, const Vector& x,
                    std::vector<FollowingSystems>& others, const ByColumn<double>& goal, SolveRun& run) {
  const Vector r = b.like("residual"), p = b.like("direction"), q = b.like("A direction");
  copy(b, r);
  copy(b, p);
  ByColumn<double> rr = bb, alpha_before = ByColumn<double>::repeated(b.n_components(), 1),
                   beta_before = ByColumn<double>::repeated(b.n_components(), 0);
  while (run.may_iterate(not_above(rr, goal))) {
    smallest.apply(p, q);
    const CgSums sums = cg_sums(p, q, r, run.stopped());
    run.give_up_unless_positive(sums.pq, sentence("for the smallest shift, s =", smallest.shift, ", p^+ (A + s) p"));
    if (!run.may_iterate()) return;
    detail::CgStep step(sums);
    step.take(x, r, p, q, run.stopped());
    const ByColumn<double> alpha = step.alpha, beta = step.next / step.rr;
    for (auto& system : others) {
      const ColumnMask finished = run.stopped() | system.solved;
      if (finished.all_finished()) continue;
      system.follow(alpha, alpha_before, beta_before);
      cg_step(alpha * system.factor, system.x, beta * system.factor / system.factor_before, r, system.direction,
              finished);
      system.solved = system.solved | not_above(system.factor * system.factor * step.next, goal);
    }
    rr = step.next;
    alpha_before = alpha;
    beta_before = beta;
    run.step(sqrt(rr / bb));
    run.give_up_without_digits(sqrt(rr / bb), b.rounding());
  }
}

}  // namespace

/// Per iteration: one A, four sums over 3 reads, for which it waits once, an update with 4 reads and 3 writes, and for
/// each further shift one with 3 reads and 2 writes.
SolveReport MultiShiftConjugateGradient::operator()(const Operator<Vector>& A, std::span<const double> shifts,
                                                    const Vector& b, const std::vector<Vector>& x) const {
  for (const double s : shifts) b.lattice().require_same("a shift of a solve", shifts.size(), s);
  require(!shifts.empty() && shifts.size() == x.size(), "a multi-shift solve got", shifts.size(), "shifts and",
          x.size(), "fields for the solutions: give it one for each");
  for (const double s : shifts)
    require(std::isfinite(s), "a multi-shift solve got the shift", s, ": give it finite numbers");
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b);
  for (const Vector& solution : x) zero(solution);
  const Vector r = b.like("residual");
  const auto finished = [&](const std::vector<double>& residuals) {
    SolveReport report = run.finish(b, b);
    report.column_residuals = residuals;
    return report;
  };
  const std::size_t n = bb.size();
  std::vector<double> residuals(shifts.size() * n, 0);  // [shift][column]
  if (run.solve_zeros(bb, b, x[0])) return finished(residuals);
  const std::size_t first = std::size_t(std::min_element(shifts.begin(), shifts.end()) - shifts.begin());
  for (std::size_t i = 0; i < residuals.size(); ++i)
    if (bb[i % n] != 0) residuals[i] = bb[i % n] / bb[i % n];  // not a number for such a source
  for (bool together = true;; together = false) {
    ByColumn<double> worst = ByColumn<double>::repeated(int(n), 0);
    for (std::size_t i = 0; i < residuals.size(); ++i) worst[i % n] = max_or_nan(worst[i % n], residuals[i]);
    if (run.over(worst, multi_shift_patience)) return finished(residuals);
    if (together) {
      std::vector<FollowingSystems> others;
      for (std::size_t k = 0; k < shifts.size(); ++k)
        if (k != first) others.emplace_back(shifts[k] - shifts[first], x[k], b);
      solve_together({A, shifts[first]}, b, bb, x[first], others, 0.81 * tolerance * tolerance * bb, run);
    } else {
      for (std::size_t k = 0; k < shifts.size(); ++k) {
        const ConjugateGradient further{.tolerance = tolerance,
                                        .max_iterations = run.iterations_left(),
                                        .on_failure = OnFailure::report,
                                        .progress = run.inner_progress(1)};
        ColumnMask others = run.stopped();
        for (std::size_t column = 0; column < n; ++column)
          if (residuals[k * n + column] <= tolerance) others.finish(int(column));
        if (!others.all_finished()) run.add(solve_columns(further, Shifted{A, shifts[k]}, b, x[k], others));
      }
    }
    for (std::size_t k = 0; k < shifts.size(); ++k) {
      const ByColumn<double> rr = true_residual_by_column(Shifted{A, shifts[k]}, b, x[k], r);
      for (std::size_t column = 0; column < n; ++column)
        if (bb[column] != 0) residuals[k * n + column] = std::sqrt(rr[column] / bb[column]);
    }
  }
}

}  // namespace kov
