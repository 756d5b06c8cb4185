// SPDX-License-Identifier: MIT
#include "kov/algebra/conjugate_gradient.hpp"

#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <cmath>

namespace kov {

namespace {

/// Restarts without progress after which the limit of precision counts as reached.
constexpr int cg_patience = 2;

}  // namespace

/// Per iteration: one A, an inner product, and 2 reads and 1 write for each of three updates (the norm rides along).
template <class F>
SolveReport ConjugateGradient::operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
  SolveRun run(*this, b);
  const double bb = norm2(b), goal = tolerance * tolerance * bb;
  if (bb == 0) return run.finish_zero(b, x);
  const F r = b.like("residual"), p = b.like("direction"), q = b.like("A direction");
  for (;;) {
    double rr = true_residual(A, b, x, r);
    const double residual = std::sqrt(rr / bb);
    if (run.over(residual, residual, cg_patience)) return run.finish(r, b);
    copy(r, p);
    while (rr > goal && run.may_iterate()) {
      A.apply(p, q);
      const double pq = inner_product(p, q).real();
      if (!(pq > 0)) {
        run.give_up(sentence("p^+ A p =", pq, "is not positive, so the operator is not positive definite"));
        break;
      }
      const double alpha = rr / pq;
      axpy(alpha, p, x);                             // x = x + alpha p
      const double next = axpy_norm2(-alpha, q, r);  // r = r - alpha A p
      xpay(r, next / rr, p);                         // p = r + beta p
      rr = next;
      run.step(std::sqrt(rr / bb));
    }
  }
}

/// Per iteration: one A, one A^+, two norms, and 2 reads and 1 write for each of three updates.
template <class F>
SolveReport NormalConjugateGradient::operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
  SolveRun run(*this, b);
  const F r = b.like("residual"), s = b.like("A^+ residual"), p = b.like("direction"), q = b.like("A direction");
  A.apply_adjoint(b, s);
  const double bb = norm2(b), cc = norm2(s), goal = tolerance * tolerance * cc;
  if (bb == 0) return run.finish_zero(b, x);
  for (;;) {
    const double true_rr = true_residual(A, b, x, r);
    A.apply_adjoint(r, s);
    double ss = norm2(s);  // s = A^+ r
    if (run.over(std::sqrt(true_rr / bb), std::sqrt(ss / cc), cg_patience)) return run.finish(r, b);
    copy(s, p);
    while (ss > goal && run.may_iterate()) {
      A.apply(p, q);
      const double alpha = ss / norm2(q);
      axpy(alpha, p, x);   // x = x + alpha p
      axpy(-alpha, q, r);  // r = r - alpha A p
      A.apply_adjoint(r, s);
      const double next = norm2(s);
      xpay(s, next / ss, p);  // p = s + beta p
      ss = next;
      run.step(std::sqrt(ss / cc));
    }
  }
}

template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<Spinor, float>>&,
                                                   const Field<Spinor, float>&, const Field<Spinor, float>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<Spinor, double>>&,
                                                   const Field<Spinor, double>&, const Field<Spinor, double>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<ColorVector, float>>&,
                                                   const Field<ColorVector, float>&,
                                                   const Field<ColorVector, float>&) const;
template SolveReport ConjugateGradient::operator()(const AnyOperator<Field<ColorVector, double>>&,
                                                   const Field<ColorVector, double>&,
                                                   const Field<ColorVector, double>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<Spinor, float>>&,
                                                         const Field<Spinor, float>&,
                                                         const Field<Spinor, float>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<Spinor, double>>&,
                                                         const Field<Spinor, double>&,
                                                         const Field<Spinor, double>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<ColorVector, float>>&,
                                                         const Field<ColorVector, float>&,
                                                         const Field<ColorVector, float>&) const;
template SolveReport NormalConjugateGradient::operator()(const AnyOperator<Field<ColorVector, double>>&,
                                                         const Field<ColorVector, double>&,
                                                         const Field<ColorVector, double>&) const;

}  // namespace kov
