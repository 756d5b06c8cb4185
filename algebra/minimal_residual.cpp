// SPDX-License-Identifier: MIT
#include "kov/algebra/minimal_residual.hpp"

#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <cmath>

namespace kov {

namespace {

constexpr int minimal_residual_patience = 2;

void require_relaxation(double omega) {
  require(omega > 0 && omega < 2, "a minimal residual iteration with omega =", omega,
          "does not converge: choose a number between 0 and 2, such as 1");
}

/// The step omega (A r, r) / |A r|^2 along r, where q = A r; 0 where q is 0.
template <class F>
std::complex<double> step_along(const F& r, const F& q, double omega) {
  const auto [qr, qq] = inner_product_norm2(q, r);
  return qq == 0 ? 0 : omega * qr / qq;
}

}  // namespace

/// Per iteration: one A, an inner product with a norm, and 2 reads and 1 write for each of two updates.
template <class F>
SolveReport MinimalResidual::operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
  require_relaxation(omega);
  SolveRun run(*this, b);
  const double bb = norm2(b), goal = tolerance * tolerance * bb;
  if (bb == 0) return run.finish_zero(b, x);
  const F r = b.like("residual"), q = b.like("A residual");
  for (;;) {
    double rr = true_residual(A, b, x, r);
    const double residual = std::sqrt(rr / bb);
    if (run.over(residual, residual, minimal_residual_patience)) return run.finish(r, b);
    while (rr > goal && run.may_iterate()) {
      A.apply(r, q);
      const std::complex<double> step = step_along(r, q, omega);
      if (step == 0.0) {
        run.give_up("A r is orthogonal to the residual r, which no step makes smaller");
        break;
      }
      axpy(step, r, x);
      rr = axpy_norm2(-step, q, r);
      run.step(std::sqrt(rr / bb));
    }
  }
}

template <class F>
MinimalResidualSteps<F>::MinimalResidualSteps(const AnyOperator<F>& A, const F& like, int n_steps, double omega)
    : A_(A), n_steps_(n_steps), omega_(omega), r_(like.like("residual")), q_(like.like("A residual")) {
  require(n_steps > 0, n_steps, "minimal residual steps are no preconditioner: ask for one or more");
  require_relaxation(omega);
}

template <class F>
void MinimalResidualSteps<F>::apply(const F& in, const F& out) const {
  copy(in, r_);
  zero(out);
  for (int k = 0; k < n_steps_; ++k) {
    A_.apply(r_, q_);
    const std::complex<double> step = step_along(r_, q_, omega_);
    axpy(step, r_, out);
    if (k + 1 < n_steps_) axpy(-step, q_, r_);
  }
}

template SolveReport MinimalResidual::operator()(const AnyOperator<Field<Spinor, float>>&, const Field<Spinor, float>&,
                                                 const Field<Spinor, float>&) const;
template SolveReport MinimalResidual::operator()(const AnyOperator<Field<Spinor, double>>&,
                                                 const Field<Spinor, double>&, const Field<Spinor, double>&) const;
template SolveReport MinimalResidual::operator()(const AnyOperator<Field<ColorVector, float>>&,
                                                 const Field<ColorVector, float>&,
                                                 const Field<ColorVector, float>&) const;
template SolveReport MinimalResidual::operator()(const AnyOperator<Field<ColorVector, double>>&,
                                                 const Field<ColorVector, double>&,
                                                 const Field<ColorVector, double>&) const;
template class MinimalResidualSteps<Field<Spinor, float>>;
template class MinimalResidualSteps<Field<Spinor, double>>;
template class MinimalResidualSteps<Field<ColorVector, float>>;
template class MinimalResidualSteps<Field<ColorVector, double>>;

}  // namespace kov
