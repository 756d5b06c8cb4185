// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/conjugate_gradient.hpp"

#include "kov/algebra/krylov/krylov_loops.hpp"

namespace kov {

template <class F>
SolveReport ConjugateGradient::operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  return detail::run_conjugate_gradient<F>(run, A, bb, goal, detail::SolutionInPlace<F>{A, b, x}, b);
}

/// Per iteration: one A, one A^+, two norms, an update with 2 reads and 1 write and one with 3 reads and 2 writes.
template <class F>
SolveReport NormalConjugateGradient::operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
  SolveRun run(*this, b);
  const F r = b.like("residual"), s = b.like("A^+ residual"), p = b.like("direction"), q = b.like("A direction");
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
      detail::cg_step(alpha, x, next / ss, s, p, run.stopped());  // x = x + alpha p, p = s + beta p
      ss = next;
      run.step(sqrt(ss / cc));
    }
  }
}

/// Per iteration: one A, one A^+, two norms, an update with 2 reads and 1 write and one with 3 reads and 2 writes.
template <class F>
SolveReport NormalErrorConjugateGradient::operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const F r = b.like("residual"), s = b.like("A^+ residual"), p = b.like("direction"), q = b.like("A direction");
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
      detail::cg_step(alpha, x, next / rr, s, p, run.stopped());  // x = x + alpha p, p = A^+ r + beta p
      rr = next;
      run.step(sqrt(rr / bb));
    }
  }
}

template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<Spinor, float>>&,
                                                   const Field<Spinor, float>&, const Field<Spinor, float>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<4>>>&,
                                                   const Field<Spinor, float, ColumnLanes<4>>&,
                                                   const Field<Spinor, float, ColumnLanes<4>>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<8>>>&,
                                                   const Field<Spinor, float, ColumnLanes<8>>&,
                                                   const Field<Spinor, float, ColumnLanes<8>>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<16>>>&,
                                                   const Field<Spinor, float, ColumnLanes<16>>&,
                                                   const Field<Spinor, float, ColumnLanes<16>>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<Spinor, double>>&,
                                                   const Field<Spinor, double>&, const Field<Spinor, double>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<4>>>&,
                                                   const Field<Spinor, double, ColumnLanes<4>>&,
                                                   const Field<Spinor, double, ColumnLanes<4>>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<8>>>&,
                                                   const Field<Spinor, double, ColumnLanes<8>>&,
                                                   const Field<Spinor, double, ColumnLanes<8>>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<16>>>&,
                                                   const Field<Spinor, double, ColumnLanes<16>>&,
                                                   const Field<Spinor, double, ColumnLanes<16>>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<ColorVector, float>>&,
                                                   const Field<ColorVector, float>&,
                                                   const Field<ColorVector, float>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<ColorVector, float, ColumnLanes<4>>>&,
                                                   const Field<ColorVector, float, ColumnLanes<4>>&,
                                                   const Field<ColorVector, float, ColumnLanes<4>>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<ColorVector, float, ColumnLanes<8>>>&,
                                                   const Field<ColorVector, float, ColumnLanes<8>>&,
                                                   const Field<ColorVector, float, ColumnLanes<8>>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<ColorVector, double>>&,
                                                   const Field<ColorVector, double>&,
                                                   const Field<ColorVector, double>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<ColorVector, double, ColumnLanes<4>>>&,
                                                   const Field<ColorVector, double, ColumnLanes<4>>&,
                                                   const Field<ColorVector, double, ColumnLanes<4>>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<ColorVector, double, ColumnLanes<8>>>&,
                                                   const Field<ColorVector, double, ColumnLanes<8>>&,
                                                   const Field<ColorVector, double, ColumnLanes<8>>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<Spinor, float>>&,
                                                         const Field<Spinor, float>&,
                                                         const Field<Spinor, float>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<4>>>&,
                                                         const Field<Spinor, float, ColumnLanes<4>>&,
                                                         const Field<Spinor, float, ColumnLanes<4>>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<8>>>&,
                                                         const Field<Spinor, float, ColumnLanes<8>>&,
                                                         const Field<Spinor, float, ColumnLanes<8>>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<16>>>&,
                                                         const Field<Spinor, float, ColumnLanes<16>>&,
                                                         const Field<Spinor, float, ColumnLanes<16>>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<Spinor, double>>&,
                                                         const Field<Spinor, double>&,
                                                         const Field<Spinor, double>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<4>>>&,
                                                         const Field<Spinor, double, ColumnLanes<4>>&,
                                                         const Field<Spinor, double, ColumnLanes<4>>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<8>>>&,
                                                         const Field<Spinor, double, ColumnLanes<8>>&,
                                                         const Field<Spinor, double, ColumnLanes<8>>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<16>>>&,
                                                         const Field<Spinor, double, ColumnLanes<16>>&,
                                                         const Field<Spinor, double, ColumnLanes<16>>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<ColorVector, float>>&,
                                                         const Field<ColorVector, float>&,
                                                         const Field<ColorVector, float>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<ColorVector, float, ColumnLanes<4>>>&,
                                                         const Field<ColorVector, float, ColumnLanes<4>>&,
                                                         const Field<ColorVector, float, ColumnLanes<4>>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<ColorVector, float, ColumnLanes<8>>>&,
                                                         const Field<ColorVector, float, ColumnLanes<8>>&,
                                                         const Field<ColorVector, float, ColumnLanes<8>>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<ColorVector, double>>&,
                                                         const Field<ColorVector, double>&,
                                                         const Field<ColorVector, double>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<ColorVector, double, ColumnLanes<4>>>&,
                                                         const Field<ColorVector, double, ColumnLanes<4>>&,
                                                         const Field<ColorVector, double, ColumnLanes<4>>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<ColorVector, double, ColumnLanes<8>>>&,
                                                         const Field<ColorVector, double, ColumnLanes<8>>&,
                                                         const Field<ColorVector, double, ColumnLanes<8>>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(const AnyOperator<Field<Spinor, float>>&,
                                                              const Field<Spinor, float>&,
                                                              const Field<Spinor, float>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<4>>>&,
                                                              const Field<Spinor, float, ColumnLanes<4>>&,
                                                              const Field<Spinor, float, ColumnLanes<4>>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<8>>>&,
                                                              const Field<Spinor, float, ColumnLanes<8>>&,
                                                              const Field<Spinor, float, ColumnLanes<8>>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<16>>>&,
                                                              const Field<Spinor, float, ColumnLanes<16>>&,
                                                              const Field<Spinor, float, ColumnLanes<16>>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(const AnyOperator<Field<Spinor, double>>&,
                                                              const Field<Spinor, double>&,
                                                              const Field<Spinor, double>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<4>>>&,
                                                              const Field<Spinor, double, ColumnLanes<4>>&,
                                                              const Field<Spinor, double, ColumnLanes<4>>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<8>>>&,
                                                              const Field<Spinor, double, ColumnLanes<8>>&,
                                                              const Field<Spinor, double, ColumnLanes<8>>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(
    const AnyOperator<Field<Spinor, double, ColumnLanes<16>>>&, const Field<Spinor, double, ColumnLanes<16>>&,
    const Field<Spinor, double, ColumnLanes<16>>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(const AnyOperator<Field<ColorVector, float>>&,
                                                              const Field<ColorVector, float>&,
                                                              const Field<ColorVector, float>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(
    const AnyOperator<Field<ColorVector, float, ColumnLanes<4>>>&, const Field<ColorVector, float, ColumnLanes<4>>&,
    const Field<ColorVector, float, ColumnLanes<4>>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(
    const AnyOperator<Field<ColorVector, float, ColumnLanes<8>>>&, const Field<ColorVector, float, ColumnLanes<8>>&,
    const Field<ColorVector, float, ColumnLanes<8>>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(const AnyOperator<Field<ColorVector, double>>&,
                                                              const Field<ColorVector, double>&,
                                                              const Field<ColorVector, double>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(
    const AnyOperator<Field<ColorVector, double, ColumnLanes<4>>>&, const Field<ColorVector, double, ColumnLanes<4>>&,
    const Field<ColorVector, double, ColumnLanes<4>>&) const;
template SolveReport NormalErrorConjugateGradient::operator()(
    const AnyOperator<Field<ColorVector, double, ColumnLanes<8>>>&, const Field<ColorVector, double, ColumnLanes<8>>&,
    const Field<ColorVector, double, ColumnLanes<8>>&) const;

}  // namespace kov
