// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/minimal_residual.hpp"

#include "kov/algebra/solve_columns.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <complex>

namespace kov {

namespace {

constexpr int minimal_residual_patience = 2;

void require_relaxation(double omega) {
  require(omega > 0 && omega < 2, "a minimal residual iteration with omega =", omega,
          "does not converge: choose a number between 0 and 2, such as 1");
}

/// The steps omega (A r, r) / |A r|^2 along r, where q = A r; 0 where q is 0.
ByColumn<std::complex<double>> steps_along(const Vector& r, const Vector& q, double omega, const ColumnMask& finished,
                                           const Exec& exec = {}) {
  const auto [qr, qq] = inner_product_norm2_by_column(q, r, finished, exec);
  ByColumn<std::complex<double>> steps = omega * qr / qq;
  for (std::size_t k = 0; k < steps.size(); ++k)
    if (qq[k] == 0) steps[k] = 0;
  return steps;
}

}  // namespace

/// Per iteration: one A, an inner product with a norm, and 2 reads and 1 write for each of two updates.
SolveReport MinimalResidual::operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const {
  b.lattice().require_same("the minimal residual iteration", omega);
  require_relaxation(omega);
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const Vector r = b.like("residual"), q = b.like("A residual");
  for (;;) {
    ByColumn<double> rr = true_residual_by_column(A, b, x, r);
    if (run.over(sqrt(rr / bb), minimal_residual_patience)) return run.finish(r, b);
    while (run.may_iterate(not_above(rr, goal))) {
      apply_to_columns(A, r, q, run.stopped());
      const auto steps = steps_along(r, q, omega, run.stopped());
      run.give_up(zeros(steps), "A r is orthogonal to the residual r, which no step makes smaller");
      if (!run.may_iterate()) break;
      axpy(steps, r, x, run.stopped());
      rr = axpy_norm2(-steps, q, r, run.stopped());
      run.step(sqrt(rr / bb));
    }
  }
}

MinimalResidualSteps::MinimalResidualSteps(const Operator<Vector>& A, const Vector& like, int n_steps, double omega)
    : A_(A), n_steps_(n_steps), omega_(omega), r_(like.like("residual")), q_(like.like("A residual")) {
  require(n_steps > 0, n_steps, "minimal residual steps are no preconditioner: ask for one or more");
  require_relaxation(omega);
}

void MinimalResidualSteps::apply(const Vector& in, const Vector& out, const Exec& exec) const {
  copy(in, r_, {}, exec);
  zero(out, exec);
  for (int k = 0; k < n_steps_; ++k) {
    A_.apply(r_, q_, exec);
    const auto steps = steps_along(r_, q_, omega_, {}, exec);
    axpy(steps, r_, out, {}, exec);
    if (k + 1 < n_steps_) axpy(-steps, q_, r_, {}, exec);
  }
}

}  // namespace kov
