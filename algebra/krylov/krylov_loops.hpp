// SPDX-License-Identifier: MIT
//
// Private to conjugate_gradient.cpp, bicgstab.cpp and reliable_updates.cpp: the recursions of conjugate gradients and
// BiCGstab, apart from where the solution is kept and how a residual is computed anew.
#pragma once

#include "kov/algebra/krylov/krylov_updates.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/core/field/codec.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <complex>
#include <concepts>
#include <limits>
#include <type_traits>

namespace kov::detail {

/// Where the recursions below keep their solution:
///   renews                 whether renew() does anything
///   update()               the field to which a recursion adds its steps
///   restart(run, r)        sets r to the true residual; returns |r_k|^2
///   renew(rr, run, r)      after each iteration, with rr = |r_k|^2 by the recursion: may set columns of r that are not
///                          stopped to their true residuals and rr to their norms; returns the mask of those
/// Both may give up columns.
template <class S, class F>
concept SolutionOfRecursion = requires(S& solution, ByColumn<double>& rr, SolveRun& run, const F& r) {
  requires std::same_as<decltype(std::remove_cvref_t<S>::renews), const bool>;
  { solution.update() } -> std::convertible_to<const F&>;
  { solution.restart(run, r) } -> std::same_as<ByColumn<double>>;
  { solution.renew(rr, run, r) } -> std::same_as<ColumnMask>;
};

/// The solution is kept where the recursion adds to it, and its residual is computed anew only when that has ended.
template <class F>
struct SolutionInPlace {
  static constexpr bool renews = false;
  const Operator<F>& A;
  const F &b, &x;

  const F& update() const { return x; }
  ByColumn<double> restart(SolveRun&, const F& r) const { return true_residual_by_column<F>(A, b, x, r); }
  ColumnMask renew(ByColumn<double>&, SolveRun&, const F&) const { return {}; }
};

/// The error of rounding a number relative to the largest one of its site.
template <class Storage>
inline constexpr double rounding_of = std::numeric_limits<Storage>::epsilon();
template <>
inline constexpr double rounding_of<Fixed16> = 1.0 / 65536;

/// Restarts without progress after which the limit of precision counts as reached.
inline constexpr int cg_patience = 2, bicgstab_patience = 4;

/// Sets the shadow residual to r; in columns that `plain` does not name, where r was orthogonal to A r, to r + A r.
/// Returns its norms.  Ar: memory.
template <class F>
ByColumn<double> begin_shadow_by_column(const Operator<F>& A, const F& r, const ColumnMask& plain, const F& Ar,
                                        const F& shadow) {
  copy(r, shadow);
  if (!plain.all_finished()) {
    A.apply(r, Ar);
    axpy(ByColumn<double>::repeated(r.n_components(), 1), Ar, shadow, plain);
  }
  return sqrt(norm2_by_column(shadow));
}

/// Conjugate gradients until |r_k|^2 <= goal_k; bb: what the residuals of reports are relative to; like: a field of the
/// shape to work in.  Per iteration: one A, an inner product, an update with 2 reads and 1 write (the norm rides along)
/// and one with 3 reads and 2 writes.  After a renewal the direction p is no longer such that p^+ r = |r|^2, so that
/// its step is computed from p^+ r; and beta stays the recursion's, for which both residuals lie in one Krylov space.
template <class F, SolutionOfRecursion<F> Solution>
SolveReport run_conjugate_gradient(SolveRun& run, const Operator<F>& A, const ByColumn<double>& bb,
                                   const ByColumn<double>& goal, Solution&& solution, const F& like) {
  const F r = like.like("residual"), p = like.like("direction"), q = like.like("A direction");
  for (;;) {
    ByColumn<double> rr = solution.restart(run, r);
    if (run.over(sqrt(rr / bb), cg_patience)) return run.finish(r, r);
    copy(r, p);
    ColumnMask renewed;
    while (run.may_iterate(not_above(rr, goal))) {
      A.apply(p, q);
      const ByColumn<double> pq = real(inner_product_by_column(p, q, run.stopped()));
      run.give_up_unless_positive(pq);
      if (!run.may_iterate()) break;
      ByColumn<double> alpha = rr / pq;
      if (renewed.any_finished())
        alpha = choose(renewed, real(inner_product_by_column(p, r, run.stopped() | renewed.complement())) / pq, alpha);
      ByColumn<double> next = axpy_norm2(-alpha, q, r, run.stopped());  // r = r - alpha A p
      const ByColumn<double> beta = next / rr;
      if constexpr (std::remove_cvref_t<Solution>::renews) {
        axpy(alpha, p, solution.update(), run.stopped());  // x = x + alpha p
        run.step(sqrt(next / bb));
        renewed = solution.renew(next, run, r);
        xpay(r, beta, p, run.stopped());  // p = r + beta p
      } else {
        cg_step(alpha, solution.update(), beta, r, p, run.stopped());  // both
        run.step(sqrt(next / bb));
      }
      rr = next;
    }
  }
}

/// BiCGstab likewise.  Per iteration: two A, two inner products, updates with 2 and 3 reads, each 1 write, and one with
/// 5 reads and 2 writes.
template <class F, SolutionOfRecursion<F> Solution>
SolveReport run_bicgstab(SolveRun& run, const Operator<F>& A, const ByColumn<double>& bb, const ByColumn<double>& goal,
                         Solution&& solution, const F& like) {
  using Number = std::complex<double>;
  // An inner product this small relative to its vectors is only rounding: the recursion has broken down.
  constexpr double nothing = rounding_of<typename F::Storage>;
  const F r = like.like("residual"), shadow = like.like("shadow residual"), p = like.like("direction"),
          v = like.like("A direction"), t = like.like("A residual");
  ColumnMask plain = ColumnMask(like.n_components()).complement();  // columns that need no tilted shadow residual
  for (;;) {
    ByColumn<double> rr = solution.restart(run, r);
    if (run.over(sqrt(rr / bb), bicgstab_patience)) return run.finish(r, r);
    copy(r, p);
    const ByColumn<double> shadow_norm = begin_shadow_by_column<F>(A, r, plain | run.stopped(), v, shadow);
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
      const ColumnMask renewed = solution.renew(rr, run, r);
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
