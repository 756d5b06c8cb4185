// SPDX-License-Identifier: MIT
#include "kov/algebra/multi_shift.hpp"

#include "kov/algebra/conjugate_gradient.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace kov {

namespace {

constexpr int multi_shift_patience = 2;

/// A + shift.
template <class F>
struct Shifted {
  Operator<F> A;
  double shift;
  void apply(const F& in, const F& out, const Exec& exec = {}) const {
    A.apply(in, out, exec);
    if (shift != 0) axpy(shift, in, out, exec);
  }
};

/// A system whose residual is `factor` times that of the smallest shift; its direction is kept divided by the factor.
template <class F>
struct FollowingSystem {
  double excess;  // of its shift over the smallest
  F x, direction;
  double factor = 1, factor_before = 1;
  bool is_solved = false;

  /// From one iteration to the next.  alpha: the step of this iteration; alpha_before and beta_before: of the last.
  void follow(double alpha, double alpha_before, double beta_before) {
    const double next =
        factor * factor_before * alpha_before /
        (alpha * beta_before * (factor_before - factor) + factor_before * alpha_before * (1 + excess * alpha));
    factor_before = std::exchange(factor, next);
  }
};

/// Iterates from x = 0 until the residuals of all systems are at most sqrt(goal) in the recursion.
template <class F>
void solve_together(const Shifted<F>& smallest, const F& b, const F& x, std::vector<FollowingSystem<F>>& others,
                    double goal, SolveRun& run) {
  const double bb = norm2(b);
  const F r = b.clone("residual"), p = b.clone("direction"), q = b.like("A direction");
  for (const auto& system : others) copy(b, system.direction);
  double rr = bb, alpha_before = 1, beta_before = 0;
  while (rr > goal && run.may_iterate()) {
    smallest.apply(p, q);
    const double pq = inner_product(p, q).real();
    if (!(pq > 0)) {
      run.give_up(sentence("p^+ (A + s) p =", pq, "is not positive for the smallest shift, s =", smallest.shift,
                           ", so the operator is not positive definite"));
      return;
    }
    const double alpha = rr / pq;
    axpy(alpha, p, x);
    const double next = axpy_norm2(-alpha, q, r), beta = next / rr;
    xpay(r, beta, p);
    for (auto& system : others) {
      if (system.is_solved) continue;
      system.follow(alpha, alpha_before, beta_before);
      axpy(alpha * system.factor, system.direction, system.x);
      xpay(r, beta * system.factor / system.factor_before, system.direction);
      system.is_solved = system.factor * system.factor * next <= goal;
    }
    rr = next;
    alpha_before = alpha;
    beta_before = beta;
    run.step(std::sqrt(rr / bb));
  }
}

}  // namespace

/// Per iteration: one A, an inner product, 2 reads and 1 write for each of three updates, and for each further shift of
/// two more.
template <class F>
SolveReport MultiShiftConjugateGradient::operator()(const AnyOperator<F>& A, std::span<const double> shifts, const F& b,
                                                    std::span<const std::type_identity_t<F>> x) const {
  for (const double s : shifts) b.lattice().require_same("a shift of a solve", shifts.size(), s);
  require(!shifts.empty() && shifts.size() == x.size(), "a multi-shift solve got", shifts.size(), "shifts and",
          x.size(), "fields for the solutions: give it one for each");
  for (const double s : shifts)
    require(std::isfinite(s), "a multi-shift solve got the shift", s, ": give it finite numbers");
  SolveRun run(*this, b);
  const double bb = norm2(b);
  for (const F& solution : x) zero(solution);
  const std::size_t first = std::size_t(std::min_element(shifts.begin(), shifts.end()) - shifts.begin());
  std::vector<double> residuals(shifts.size(), bb == 0 ? 0 : bb / bb);  // not a number for such a source
  const F r = b.like("residual");
  for (bool together = true;; together = false) {
    double worst = 0;
    for (const double residual : residuals) worst = residual <= worst ? worst : residual;  // nan, if one is
    if (run.over(worst, worst, multi_shift_patience)) {
      SolveReport report = run.finish();
      report.column_residuals = residuals;
      return report;
    }
    if (together) {
      std::vector<FollowingSystem<F>> others;
      for (std::size_t k = 0; k < shifts.size(); ++k)
        if (k != first) others.push_back({shifts[k] - shifts[first], x[k].alias(), b.like("direction")});
      solve_together({A, shifts[first]}, b, x[first], others, 0.81 * tolerance * tolerance * bb, run);
    } else {
      for (std::size_t k = 0; k < shifts.size(); ++k) {
        if (residuals[k] <= tolerance) continue;
        const ConjugateGradient further{.tolerance = tolerance,
                                        .max_iterations = run.iterations_left(),
                                        .on_failure = OnFailure::report,
                                        .progress = run.inner_progress(1)};
        run.add(further(Shifted<F>{A, shifts[k]}, b, x[k]));
      }
    }
    for (std::size_t k = 0; k < shifts.size(); ++k)
      residuals[k] = std::sqrt(true_residual(Shifted<F>{A, shifts[k]}, b, x[k], r) / bb);
  }
}

template SolveReport MultiShiftConjugateGradient::operator()(const AnyOperator<Field<Spinor, float>>&,
                                                             std::span<const double>, const Field<Spinor, float>&,
                                                             std::span<const Field<Spinor, float>>) const;
template SolveReport MultiShiftConjugateGradient::operator()(const AnyOperator<Field<Spinor, double>>&,
                                                             std::span<const double>, const Field<Spinor, double>&,
                                                             std::span<const Field<Spinor, double>>) const;
template SolveReport MultiShiftConjugateGradient::operator()(const AnyOperator<Field<ColorVector, float>>&,
                                                             std::span<const double>, const Field<ColorVector, float>&,
                                                             std::span<const Field<ColorVector, float>>) const;
template SolveReport MultiShiftConjugateGradient::operator()(const AnyOperator<Field<ColorVector, double>>&,
                                                             std::span<const double>, const Field<ColorVector, double>&,
                                                             std::span<const Field<ColorVector, double>>) const;

}  // namespace kov
