// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/krylov_loops.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace kov::detail {

ByColumn<double> begin_shadow_by_column(const Operator<Vector>& A, const Vector& r, const ColumnMask& plain,
                                        const ColumnMask& others, const Vector& Ar, const Vector& shadow) {
  copy(r, shadow, others);
  if (const ColumnMask untilted = plain | others; !untilted.all_finished()) {
    apply_to_columns(A, r, Ar, untilted);
    axpy(1, Ar, shadow, untilted);
  }
  return sqrt(norm2_by_column(shadow, others));
}

void RenewalSchedule::restart(const ByColumn<double>& rr, const ColumnMask& others) {
  largest_ = choose(others, largest_, rr);
  for (std::size_t k = 0; k < rr.size(); ++k)
    if (!others.is_finished(int(k))) n_iterations_[k] = 0;
}

ColumnMask RenewalSchedule::due(const ByColumn<double>& rr, const SolveRun& run) {
  ColumnMask columns(int(rr.size()));
  for (int k = 0; k < columns.size(); ++k) {
    const std::size_t i = std::size_t(k);
    if (run.stopped().is_finished(k)) continue;
    largest_[i] = std::max(largest_[i], rr[i]);
    const bool is_turn = ++n_iterations_[i] % iterations_of_turn == 0;
    const double share = is_turn || !waits_[i] ? delta_squared_ : delta_squared_ * delta_squared_;
    if (!(rr[i] > share * largest_[i])) columns.finish(k);
  }
  return columns;
}

void RenewalSchedule::renew(const ColumnMask& due, const ByColumn<double>& recursion, const ByColumn<double>& found) {
  for (int k = 0; k < due.size(); ++k) {
    const std::size_t i = std::size_t(k);
    if (!due.is_finished(k)) continue;
    waits_[i] = found[i] <= confirmed * recursion[i];
    largest_[i] = found[i];
  }
}

/// Below this share of |r|^2 that of the next residual has too few digits left to be known from the sums before.
constexpr double least_predicted = 1e-6;
/// Share of a product by which its prediction may be off.
constexpr double most_mistaken = 0.1;

CgStep::CgStep(const CgSums& sums) : alpha(sums.rr / sums.pq), rr(sums.rr), rq_(sums.rq), qq_(sums.qq) { predict(); }

void CgStep::predict() {
  next = rr;
  for (std::size_t k = 0; k < next.size(); ++k)  // |r - alpha A p|^2
    next[k] = rr[k] - alpha[k] * (2 * rq_[k] - alpha[k] * qq_[k]);
  unknown_ = not_above(next, least_predicted * rr);
}

void CgStep::take(const Vector& x, const Vector& r, const Vector& p, const Vector& q, const ColumnMask& finished) {
  cg_update(alpha, q, x, next / rr, r, p, finished | unknown_);
  const ColumnMask others = finished | unknown_.complement();
  if (others.all_finished()) return;
  axpy(alpha, p, x, others);
  next = choose(others, next, axpy_norm2(-alpha, q, r, others));
  xpay(r, next / rr, p, others);
}

/// Per iteration: one A, four sums over 3 reads, and an update with 4 reads and 3 writes; it waits for sums once,
/// and once more where the norm of a residual has to be computed anew.
///
/// After a renewal the direction p is no longer such that p^+ r = |r|^2, so that its step is computed from p^+ r; and
/// beta stays the recursion's, for which both residuals lie in one Krylov space.
SolveReport run_conjugate_gradient(SolveRun& run, const Operator<Vector>& A, const ByColumn<double>& bb,
                                   const ByColumn<double>& goal, SolutionOfRecursion& solution, const Vector& like) {
  const Vector r = like.like("residual"), p = like.like("direction"), q = like.like("A direction");
  const Vector& x = solution.update();
  const double rounding = like.rounding();
  ByColumn<double> rr = ByColumn<double>::repeated(like.n_components(), 0);
  ColumnMask renewed;
  RestartTurns turns;
  for (ColumnMask staying(like.n_components());;) {  // those that do not begin anew
    rr = choose(staying, rr, solution.restart(run, r, staying, q));
    if (solution.over(run, sqrt(rr / bb), cg_patience, staying)) return run.finish(r, r);
    const ColumnMask over = run.stopped();
    copy(r, p, staying | over);
    renewed = renewed & staying;
    while (run.may_iterate(not_above(rr, goal)) && !turns.is_due(run, over)) {
      apply_to_columns(A, p, q, run.stopped());
      const CgSums sums = cg_sums(p, q, r, run.stopped());
      run.give_up_unless_positive(sums.pq, solution.overlap_name(), solution.reason_not_positive());
      if (!run.may_iterate()) break;
      CgStep step(sums);
      if (renewed.any_finished()) {
        const ByColumn<double> pr = real(inner_product_by_column(p, r, run.stopped() | renewed.complement()));
        step.set_length(choose(renewed, pr / sums.pq, step.alpha));
      }
      renewed = solution.due(step.next, run);
      step.take(x, r, p, q, run.stopped() | renewed);
      if (renewed.any_finished()) {
        const ColumnMask others = run.stopped() | renewed.complement();
        axpy(step.alpha, p, x, others);
        step.next = choose(others, step.next, axpy_norm2(-step.alpha, q, r, others));
        run.step(sqrt(step.next / bb));
        rr = step.next;
        solution.renew(renewed, rr, run, r, q);
        xpay(r, step.next / step.rr, p, others);
      } else {
        rr = step.next;
        run.step(sqrt(rr / bb));
      }
      run.give_up_without_digits(sqrt(rr / bb), rounding);
      turns.step();
    }
    turns.restart(run);
    staying = over | run.stopped().complement();
  }
}

/// Per iteration: two A, an update with 2 reads and 1 write, sums over 5 reads, and an update with 5 reads and 3
/// writes; it waits for sums once, and once more where A has no adjoint.
///
/// With the image A^+ shadow the product of the shadow residual and A p, for the next p, follows from sums before p is
/// known: L. T. Yang and R. P. Brent, ICA3PP 2002, 324, but without their recursions for vectors, so that residuals are
/// as true as in the original.  So do |r|^2 and shadow^+ r, and those at the half step are computed anew, so that
/// errors do not add up.
SolveReport run_bicgstab(SolveRun& run, const Operator<Vector>& A, const ByColumn<double>& bb,
                         const ByColumn<double>& goal, SolutionOfRecursion& solution, const Vector& like) {
  using Number = std::complex<double>;
  using Numbers = ByColumn<Number>;
  // A number this small relative to what it is made of is only rounding: the recursion has broken down.
  const double nothing = like.rounding();
  const Vector r = like.like("residual"), shadow = like.like("shadow residual"), p = like.like("direction"),
               v = like.like("A direction"), t = like.like("A residual"),
               image = A.has_adjoint() ? like.like("A^+ shadow residual") : shadow;
  const Vector& x = solution.update();
  const int n_columns = like.n_components();
  ByColumn<double> rr = ByColumn<double>::repeated(n_columns, 0), shadow_norm = rr;
  Numbers rho = Numbers::repeated(n_columns, 0), overlap = rho;  // shadow^+ v
  ColumnMask plain = ColumnMask(n_columns).complement();         // columns that need no tilted shadow residual
  ColumnMask predicted(n_columns);                               // columns whose overlap is known already
  ColumnMask unpredictable(n_columns);
  RestartTurns turns;
  for (ColumnMask staying(n_columns);;) {  // those that do not begin anew
    rr = choose(staying, rr, solution.restart(run, r, staying, v));
    if (solution.over(run, sqrt(rr / bb), bicgstab_patience, staying)) return run.finish(r, r);
    const ColumnMask over = run.stopped(), unchanged = staying | over;
    copy(r, p, unchanged);
    shadow_norm = choose(unchanged, shadow_norm, begin_shadow_by_column(A, r, plain, unchanged, v, shadow));
    if (A.has_adjoint()) apply_adjoint_to_columns(A, shadow, image, unchanged);
    rho = choose(unchanged, rho, inner_product_by_column(shadow, r, unchanged));
    overlap = choose(unchanged, overlap, rho);
    plain = plain & staying;
    predicted = predicted & staying;
    unpredictable = unpredictable & staying;
    while (run.may_iterate(not_above(rr, goal)) && !turns.is_due(run, over)) {
      apply_to_columns(A, p, v, run.stopped());
      if (const ColumnMask others = run.stopped() | predicted; !others.all_finished()) {
        const auto [v_shadow, vv] = inner_product_norm2_by_column(v, shadow, others);
        overlap = choose(others, overlap, conj(v_shadow));
        if (!run.may_iterate(not_above(abs(overlap), nothing * shadow_norm * sqrt(vv)))) break;
      }
      plain = plain | run.stopped().complement();
      const Numbers alpha = rho / overlap;
      axpy(-alpha, v, r, run.stopped());  // s = r - alpha A p, in the memory of r
      apply_to_columns(A, r, t, run.stopped());
      const BiCgStabSums of = bicgstab_sums(t, r, v, shadow, image, run.stopped());
      // The first half of the step reaches the goal, or the second half breaks down.
      const ColumnMask ends = not_above(of.rr, goal) | not_above(abs(of.tr), nothing * sqrt(of.tt * of.rr));
      axpy(alpha, p, x, run.stopped() | ends.complement());
      const Numbers omega = of.tr / of.tt;
      Numbers next = rho, beta = rho;
      // What was predicted is known by now: where it was rounding, or A and A^+ differ, as on rounded halos, columns
      // are predicted no more.
      for (std::size_t k = 0; k < overlap.size(); ++k)
        if (predicted.is_finished(int(k)) && !run.stopped().is_finished(int(k)) &&
            !(std::abs(overlap[k] - of.shadow_v[k]) <= most_mistaken * std::abs(of.shadow_v[k])))
          unpredictable.finish(int(k));
      predicted = ColumnMask(n_columns);
      rr = of.rr;
      for (std::size_t k = 0; k < rr.size(); ++k) {
        if (ends.is_finished(int(k))) continue;
        rr[k] -= std::norm(of.tr[k]) / of.tt[k];  // |s - omega A s|^2
        next[k] = of.shadow_r[k] - omega[k] * of.shadow_t[k];
        beta[k] = next[k] / rho[k] * (alpha[k] / omega[k]);
        const Number terms[] = {of.shadow_t[k], -omega[k] * of.image_t[k], beta[k] * of.shadow_v[k],
                                -beta[k] * omega[k] * of.image_v[k]};
        overlap[k] = 0;
        double size = 0;
        for (const Number& term : terms) overlap[k] += term, size += std::abs(term);
        if (A.has_adjoint() && !unpredictable.is_finished(int(k)) && std::abs(overlap[k]) > std::sqrt(nothing) * size)
          predicted.finish(int(k));
      }
      const ColumnMask unknown = not_above(rr, least_predicted * of.rr), renewed = solution.due(rr, run);
      // x = x + alpha p + omega s, r = s - omega A s, p = r + beta (p - omega A p)
      bicgstab_update(alpha, omega, t, beta, v, x, r, p, run.stopped() | ends | unknown | renewed);
      const ColumnMask others = run.stopped() | ends | (unknown | renewed).complement();
      if (!others.all_finished()) {
        axpy(alpha, p, x, others);
        axpy(omega, r, x, others);
        rr = choose(others, rr, axpy_norm2(-omega, t, r, others));
      }
      run.step(sqrt(rr / bb));
      if (renewed.any_finished()) solution.renew(renewed, rr, run, r, t);
      if (!run.may_iterate(ends | not_above(rr, goal))) break;
      if (!others.all_finished())
        next = choose(others, next, inner_product_by_column(shadow, r, run.stopped() | others));
      if (!run.may_iterate(not_above(abs(next), nothing * shadow_norm * sqrt(rr)))) break;
      if (!others.all_finished()) {
        beta = next / rho * (alpha / omega);
        xpaypbz(r, -beta * omega, v, beta, p, run.stopped() | others);
        predicted = predicted & others;
      }
      rho = next;
      turns.step();
    }
    turns.restart(run);
    staying = over | run.stopped().complement();
  }
}

}  // namespace kov::detail
