// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/conjugate_gradient.hpp"

#include "kov/algebra/krylov/krylov_loops.hpp"

namespace kov {

SolveReport ConjugateGradient::operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const {
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  detail::SolutionInPlace solution(A, b, x);
  return detail::run_conjugate_gradient(run, A, bb, goal, solution, b);
}

/// Per iteration: one A, one A^+, two norms, an update with 2 reads and 1 write and one with 3 reads and 2 writes.
SolveReport NormalConjugateGradient::operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const {
  SolveRun run(*this, b);
  const Vector r = b.like("residual"), s = b.like("A^+ residual"), p = b.like("direction"), q = b.like("A direction");
  A.apply_adjoint(b, s);
  const ByColumn<double> bb = norm2_by_column(b), cc = norm2_by_column(s), goal = tolerance * tolerance * cc;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  for (;;) {
    const ByColumn<double> true_rr = true_residual_by_column(A, b, x, r);
    A.apply_adjoint(r, s);
    ByColumn<double> ss = norm2_by_column(s);  // s = A^+ r
    if (run.over(sqrt(true_rr / bb), sqrt(ss / cc), detail::cg_patience)) return run.finish(r, b);
    copy(s, p);
    while (run.may_iterate(not_above(ss, goal))) {
      A.apply(p, q);
      const ByColumn<double> alpha = ss / norm2_by_column(q, run.stopped());
      axpy(-alpha, q, r, run.stopped());  // r = r - alpha A p
      A.apply_adjoint(r, s);
      const ByColumn<double> next = norm2_by_column(s, run.stopped());
      cg_step(alpha, x, next / ss, s, p, run.stopped());  // x = x + alpha p, p = s + beta p
      ss = next;
      run.step(sqrt(ss / cc));
    }
  }
}

/// Per iteration: one A, one A^+, two norms, an update with 2 reads and 1 write and one with 3 reads and 2 writes.
SolveReport NormalErrorConjugateGradient::operator()(const Operator<Vector>& A, const Vector& b,
                                                     const Vector& x) const {
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const Vector r = b.like("residual"), s = b.like("A^+ residual"), p = b.like("direction"), q = b.like("A direction");
  for (;;) {
    ByColumn<double> rr = true_residual_by_column(A, b, x, r);
    if (run.over(sqrt(rr / bb), detail::cg_patience)) return run.finish(r, b);
    A.apply_adjoint(r, p);
    while (run.may_iterate(not_above(rr, goal))) {
      const ByColumn<double> pp = norm2_by_column(p, run.stopped());
      run.give_up(zeros(pp), "A^+ makes 0 of a direction, so the operator is singular");
      if (!run.may_iterate()) break;
      const ByColumn<double> alpha = rr / pp;
      A.apply(p, q);
      const ByColumn<double> next = axpy_norm2(-alpha, q, r, run.stopped());  // r = r - alpha A p
      A.apply_adjoint(r, s);
      cg_step(alpha, x, next / rr, s, p, run.stopped());  // x = x + alpha p, p = A^+ r + beta p
      rr = next;
      run.step(sqrt(rr / bb));
      run.give_up_without_digits(sqrt(rr / bb), b.rounding());
    }
  }
}

}  // namespace kov
