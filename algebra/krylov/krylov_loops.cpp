// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/krylov_loops.hpp"

#include <complex>

namespace kov::detail {

ByColumn<double> begin_shadow_by_column(const Operator<Vector>& A, const Vector& r, const ColumnMask& plain,
                                        const Vector& Ar, const Vector& shadow) {
  copy(r, shadow);
  if (!plain.all_finished()) {
    A.apply(r, Ar);
    axpy(ByColumn<double>::repeated(r.n_components(), 1), Ar, shadow, plain);
  }
  return sqrt(norm2_by_column(shadow));
}

/// Below this share of |r|^2 that of the next residual has too few digits left to be known from the sums before.
constexpr double least_predicted = 1e-6;

/// Per iteration: one A, four sums over 3 reads, and an update with 4 reads and 3 writes; it waits for sums once,
/// and once more where the norm of a residual has to be computed anew.
///
/// The norm of the next residual follows from sums before the update, so that all fields are updated in one pass; that
/// of this one is computed anew, so that errors do not add up: T. Chen and E. Carson, SIAM J. Matrix Anal. Appl. 41,
/// 973 (2020), PR-CG.  After a renewal the direction p is no longer such that p^+ r = |r|^2, so that its step is
/// computed from p^+ r; and beta stays the recursion's, for which both residuals lie in one Krylov space.
SolveReport run_conjugate_gradient(SolveRun& run, const Operator<Vector>& A, const ByColumn<double>& bb,
                                   const ByColumn<double>& goal, SolutionOfRecursion& solution, const Vector& like) {
  const Vector r = like.like("residual"), p = like.like("direction"), q = like.like("A direction");
  const Vector& x = solution.update();
  const double rounding = like.rounding();
  for (;;) {
    ByColumn<double> next = solution.restart(run, r);
    if (run.over(sqrt(next / bb), cg_patience)) return run.finish(r, r);
    copy(r, p);
    ColumnMask renewed;
    while (run.may_iterate(not_above(next, goal))) {
      A.apply(p, q);
      const auto [pq, rq, qq, rr] = cg_sums(p, q, r, run.stopped());
      run.give_up_unless_positive(pq);
      if (!run.may_iterate()) break;
      ByColumn<double> alpha = rr / pq;
      if (renewed.any_finished())
        alpha = choose(renewed, real(inner_product_by_column(p, r, run.stopped() | renewed.complement())) / pq, alpha);
      for (std::size_t k = 0; k < next.size(); ++k)  // |r - alpha A p|^2
        next[k] = rr[k] - alpha[k] * (2 * rq[k] - alpha[k] * qq[k]);
      const ColumnMask unknown = not_above(next, least_predicted * rr);
      renewed = solution.due(next, run);
      // x = x + alpha p, r = r - alpha A p, p = r + beta p
      const ColumnMask together = run.stopped() | unknown | renewed;
      cg_update(alpha, q, x, next / rr, r, p, together);
      const ColumnMask others = run.stopped() | (unknown | renewed).complement();
      if (!others.all_finished()) {
        axpy(alpha, p, x, others);
        next = choose(others, next, axpy_norm2(-alpha, q, r, others));
      }
      run.step(sqrt(next / bb));
      ByColumn<double> found = next;
      if (renewed.any_finished()) solution.renew(renewed, found, run, r);
      if (!others.all_finished()) xpay(r, next / rr, p, others);
      next = found;
      run.give_up_without_digits(sqrt(next / bb), rounding);
    }
  }
}

/// Per iteration: two A, two inner products, updates with 2 and 3 reads, each 1 write, and one with 5 reads and 2
/// writes.
SolveReport run_bicgstab(SolveRun& run, const Operator<Vector>& A, const ByColumn<double>& bb,
                         const ByColumn<double>& goal, SolutionOfRecursion& solution, const Vector& like) {
  using Number = std::complex<double>;
  // An inner product this small relative to its vectors is only rounding: the recursion has broken down.
  const double nothing = like.rounding();
  const Vector r = like.like("residual"), shadow = like.like("shadow residual"), p = like.like("direction"),
               v = like.like("A direction"), t = like.like("A residual");
  ColumnMask plain = ColumnMask(like.n_components()).complement();  // columns that need no tilted shadow residual
  for (;;) {
    ByColumn<double> rr = solution.restart(run, r);
    if (run.over(sqrt(rr / bb), bicgstab_patience)) return run.finish(r, r);
    copy(r, p);
    const ByColumn<double> shadow_norm = begin_shadow_by_column(A, r, plain | run.stopped(), v, shadow);
    ByColumn<Number> rho = inner_product_by_column(shadow, r, run.stopped());
    plain = ColumnMask(like.n_components());
    while (run.may_iterate(not_above(rr, goal))) {
      A.apply(p, v);
      const auto [v_shadow, vv] = inner_product_norm2_by_column(v, shadow, run.stopped());
      const ByColumn<Number> overlap = conj(v_shadow);  // shadow^+ v
      if (!run.may_iterate(not_above(abs(overlap), nothing * shadow_norm * sqrt(vv)))) break;
      plain = plain | run.stopped().complement();
      const ByColumn<Number> alpha = rho / overlap;
      const ByColumn<double> ss = axpy_norm2(-alpha, v, r, run.stopped());  // s = r - alpha A p, in the memory of r
      A.apply(r, t);
      const auto [ts, tt] = inner_product_norm2_by_column(t, r, run.stopped());
      // The first half of the step reaches the goal, or the second half breaks down.
      const ColumnMask ends = not_above(ss, goal) | not_above(abs(ts), nothing * sqrt(tt * ss));
      axpy(alpha, p, solution.update(), run.stopped() | ends.complement());
      const ByColumn<Number> omega = ts / tt;
      const ColumnMask others = run.stopped() | ends;
      // x = x + alpha p + omega s, r = s - omega A s
      const auto [shadow_r, found] = bicgstab_step(alpha, p, omega, t, shadow, solution.update(), r, others);
      rr = choose(ends, ss, found);
      run.step(sqrt(rr / bb));
      const ColumnMask renewed = solution.due(rr, run);
      if (renewed.any_finished()) solution.renew(renewed, rr, run, r);
      if (!run.may_iterate(ends | not_above(rr, goal))) break;
      ByColumn<Number> next = shadow_r;
      if (renewed.any_finished())
        next = choose(renewed, inner_product_by_column(shadow, r, run.stopped() | renewed.complement()), next);
      if (!run.may_iterate(not_above(abs(next), nothing * shadow_norm * sqrt(rr)))) break;
      const ByColumn<Number> beta = next / rho * (alpha / omega);
      xpaypbz(r, -beta * omega, v, beta, p, run.stopped());  // p = r + beta (p - omega A p)
      rho = next;
    }
  }
}

}  // namespace kov::detail
