// SPDX-License-Identifier: MIT
//
// Private to conjugate_gradient.cpp, bicgstab.cpp and reliable_updates.cpp: the recursions of conjugate gradients and
// BiCGstab, apart from where the solution is kept and how a residual is computed anew.
#pragma once

#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <complex>
#include <limits>

namespace kov::detail {

// A place of a solution, what the recursions below are given:
//   update()                 the field to which a recursion adds its steps
//   restart(r)               sets r to the true residual; returns |r_k|^2
//   renew(rr, stopped, r)    after each iteration, with rr = |r_k|^2 by the recursion: may set columns of r that are not
//                            stopped to their true residuals; returns |r_k|^2

/// The solution is kept where the recursion adds to it, and its residual is computed anew only when that has ended.
template <class F>
struct SolutionInPlace {
  const Operator<F>& A;
  const F &b, &x;

  const F& update() const { return x; }
  ByColumn<double> restart(const F& r) const { return true_residual_by_column<F>(A, b, x, r); }
  const ByColumn<double>& renew(const ByColumn<double>& rr, const ColumnMask&, const F&) const { return rr; }
};

/// Restarts without progress after which the limit of precision counts as reached.
inline constexpr int cg_patience = 2, bicgstab_patience = 4;

/// Sets the shadow residual to r; in columns that `straight` does not name, where r was orthogonal to A r, to r + A r.
/// Returns its norms.  Ar: memory.
template <class F>
ByColumn<double> begin_shadow_by_column(const Operator<F>& A, const F& r, const ColumnMask& straight, const F& Ar,
                                        const F& shadow) {
  copy(r, shadow);
  if (!straight.all_finished()) {
    A.apply(r, Ar);
    axpy(ByColumn<double>::repeated(r.n_components(), 1), Ar, shadow, straight);
  }
  return sqrt(norm2_by_column(shadow));
}

/// Conjugate gradients until |r_k|^2 <= goal_k; bb: what the residuals of reports are relative to; like: a field of the
/// shape to work in.  Per iteration: one A, an inner product, and 2 reads and 1 write for each of three updates (the
/// norm rides along).
template <class F, class Solution>
SolveReport run_conjugate_gradient(SolveRun& run, const Operator<F>& A, const ByColumn<double>& bb,
                                   const ByColumn<double>& goal, Solution&& solution, const F& like) {
  const F r = like.like("residual"), p = like.like("direction"), q = like.like("A direction");
  for (;;) {
    ByColumn<double> rr = solution.restart(r);
    if (run.over(sqrt(rr / bb), cg_patience)) return run.finish(r, r);
    copy(r, p);
    while (run.may_iterate(not_above(rr, goal))) {
      A.apply(p, q);
      const ByColumn<double> pq = real(inner_product_by_column(p, q, run.stopped()));
      for (int k = 0; k < int(pq.size()); ++k)
        if (!run.stopped().is_finished(k) && !(pq[std::size_t(k)] > 0))
          run.give_up(k, sentence("p^+ A p =", pq[std::size_t(k)],
                                  "is not positive, so the operator is not positive definite"));
      if (!run.may_iterate()) break;
      const ByColumn<double> alpha = rr / pq;
      axpy(alpha, p, solution.update(), run.stopped());                         // x = x + alpha p
      const ByColumn<double> next = axpy_norm2(-alpha, q, r, run.stopped());    // r = r - alpha A p
      const ByColumn<double> renewed = solution.renew(next, run.stopped(), r);
      xpay(r, renewed / rr, p, run.stopped());                                  // p = r + beta p
      rr = renewed;
      run.step(sqrt(rr / bb));
    }
  }
}

/// BiCGstab likewise.  Per iteration: two A, three inner products, two updates with 2 reads and two with 3, each 1
/// write.
template <class F, class Solution>
SolveReport run_bicgstab(SolveRun& run, const Operator<F>& A, const ByColumn<double>& bb, const ByColumn<double>& goal,
                         Solution&& solution, const F& like) {
  using Number = std::complex<double>;
  // An inner product this small relative to its vectors is only rounding: the recursion has broken down.
  constexpr double nothing = std::numeric_limits<typename F::Real>::epsilon();
  const F r = like.like("residual"), shadow = like.like("shadow residual"), p = like.like("direction"),
          v = like.like("A direction"), t = like.like("A residual");
  ColumnMask begun = ColumnMask(like.n_components()).complement();  // columns that do not need a tilted shadow residual
  for (;;) {
    ByColumn<double> rr = solution.restart(r);
    if (run.over(sqrt(rr / bb), bicgstab_patience)) return run.finish(r, r);
    copy(r, p);
    const ByColumn<double> shadow_norm = begin_shadow_by_column<F>(A, r, begun | run.stopped(), v, shadow);
    ByColumn<Number> rho = inner_product_by_column(shadow, r, run.stopped());
    begun = ColumnMask(like.n_components());
    while (run.may_iterate(not_above(rr, goal))) {
      A.apply(p, v);
      const auto [v_shadow, vv] = inner_product_norm2_by_column(v, shadow, run.stopped());
      const ByColumn<Number> overlap = conj(v_shadow);  // shadow^+ v
      if (!run.may_iterate(not_above(abs(overlap), nothing * shadow_norm * sqrt(vv)))) break;
      begun = begun | run.stopped().complement();
      const ByColumn<Number> alpha = rho / overlap;
      const ByColumn<double> ss = axpy_norm2(-alpha, v, r, run.stopped());  // s = r - alpha A p, in the memory of r
      A.apply(r, t);
      const auto [ts, tt] = inner_product_norm2_by_column(t, r, run.stopped());
      // The first half of the step reaches the goal, or the second half breaks down.
      const ColumnMask ends = not_above(ss, goal) | not_above(abs(ts), nothing * sqrt(tt * ss));
      axpy(alpha, p, solution.update(), run.stopped() | ends.complement());
      const ByColumn<Number> omega = ts / tt;
      const ColumnMask others = run.stopped() | ends;
      axpbypz(alpha, p, omega, r, solution.update(), others);   // x = x + alpha p + omega s
      rr = choose(ends, ss, axpy_norm2(-omega, t, r, others));  // r = s - omega A s
      rr = solution.renew(rr, others, r);
      run.step(sqrt(rr / bb));
      if (!run.may_iterate(ends | not_above(rr, goal))) break;
      const ByColumn<Number> next = inner_product_by_column(shadow, r, run.stopped());
      if (!run.may_iterate(not_above(abs(next), nothing * shadow_norm * sqrt(rr)))) break;
      const ByColumn<Number> beta = next / rho * (alpha / omega);
      xpaypbz(r, -beta * omega, v, beta, p, run.stopped());  // p = r + beta (p - omega A p)
      rho = next;
    }
  }
}

}  // namespace kov::detail
