// SPDX-License-Identifier: MIT
#include "kov/algebra/bicgstab.hpp"

#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <cmath>

namespace kov {

namespace {

using Number = std::complex<double>;

/// Restarts without progress after which the limit of precision counts as reached.
constexpr int bicgstab_patience = 4;

}  // namespace

/// Per iteration: two A, three inner products, two updates with 2 reads and two with 3, each 1 write.
template <class F>
SolveReport BiCgStab::operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
  SolveRun run(*this, b);
  const double bb = norm2(b), goal = tolerance * tolerance * bb;
  if (bb == 0) {
    zero(x);
    run.over(0, 0, bicgstab_patience);
    return run.finish(b, b);
  }
  // An inner product this small relative to its vectors is only rounding: the recursion has broken down.
  constexpr double nothing = std::numeric_limits<typename F::Real>::epsilon();
  const F r = b.like("residual"), shadow = b.like("shadow residual"), p = b.like("direction"),
          v = b.like("A direction"), t = b.like("A residual");
  bool tilt = false;
  for (;;) {
    A.apply(x, v);
    copy(b, r);
    double rr = axpy_norm2(-1, v, r);  // r = b - A x
    const double residual = std::sqrt(rr / bb);
    if (run.over(residual, residual, bicgstab_patience)) return run.finish(r, b);
    copy(r, p);
    copy(r, shadow);
    if (tilt) {  // the residual was orthogonal to A times itself: the shadow residual is the sum of both
      A.apply(r, v);
      axpy(1, v, shadow);
    }
    const double shadow_norm = std::sqrt(norm2(shadow));
    Number rho = inner_product(shadow, r);
    tilt = true;
    while (rr > goal && run.may_iterate()) {
      A.apply(p, v);
      const auto [v_shadow, vv] = inner_product_norm2(v, shadow);
      const Number overlap = std::conj(v_shadow);  // shadow^+ v
      if (!(std::abs(overlap) > nothing * shadow_norm * std::sqrt(vv))) break;
      tilt = false;
      const Number alpha = rho / overlap;
      const double ss = axpy_norm2(-alpha, v, r);  // s = r - alpha A p, in the memory of r
      rr = ss;
      A.apply(r, t);
      const auto [ts, tt] = inner_product_norm2(t, r);
      if (!(ss > goal && std::abs(ts) > nothing * std::sqrt(tt * ss))) {
        axpy(alpha, p, x);  // the first half of the step reaches the goal, or the second half breaks down
        run.step(std::sqrt(ss / bb));
        break;
      }
      const Number omega = ts / tt;
      axpbypz(alpha, p, omega, r, x);  // x = x + alpha p + omega s
      rr = axpy_norm2(-omega, t, r);   // r = s - omega A s
      run.step(std::sqrt(rr / bb));
      const Number next = inner_product(shadow, r);
      if (!(std::abs(next) > nothing * shadow_norm * std::sqrt(rr))) break;
      const Number beta = next / rho * (alpha / omega);
      xpaypbz(r, -beta * omega, v, beta, p);  // p = r + beta (p - omega A p)
      rho = next;
    }
  }
}

template SolveReport BiCgStab::operator()(const AnyOperator<Field<Spinor, float>>&, const Field<Spinor, float>&,
                                          const Field<Spinor, float>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<Spinor, double>>&, const Field<Spinor, double>&,
                                          const Field<Spinor, double>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<ColorVector, float>>&,
                                          const Field<ColorVector, float>&, const Field<ColorVector, float>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<ColorVector, double>>&,
                                          const Field<ColorVector, double>&, const Field<ColorVector, double>&) const;

}  // namespace kov
