// SPDX-License-Identifier: MIT
#include "kov/algebra/bicgstab.hpp"

#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace kov {

namespace {

using Number = std::complex<double>;

/// Restarts without progress after which the limit of precision counts as reached.
constexpr int bicgstab_patience = 4;

/// Sets the shadow residual to r; with tilt, where r was orthogonal to A r, to r + A r.  Returns its norm.  Ar: memory.
template <class F>
double begin_shadow(const Operator<F>& A, const F& r, bool tilt, const F& Ar, const F& shadow) {
  copy(r, shadow);
  if (tilt) {
    A.apply(r, Ar);
    axpy(1, Ar, shadow);
  }
  return std::sqrt(norm2(shadow));
}

/// The same by column: tilted where `straight` does not name the column.
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

}  // namespace

/// Per iteration: two A, three inner products, two updates with 2 reads and two with 3, each 1 write.
template <class F>
SolveReport BiCgStab::operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  // An inner product this small relative to its vectors is only rounding: the recursion has broken down.
  constexpr double nothing = std::numeric_limits<typename F::Real>::epsilon();
  const F r = b.like("residual"), shadow = b.like("shadow residual"), p = b.like("direction"),
          v = b.like("A direction"), t = b.like("A residual");
  ColumnMask begun = ColumnMask(b.n_components()).complement();  // columns that do not need a tilted shadow residual
  for (;;) {
    ByColumn<double> rr = true_residual_by_column(A, b, x, r);
    if (run.over(sqrt(rr / bb), bicgstab_patience)) return run.finish(r, b);
    copy(r, p);
    const ByColumn<double> shadow_norm = begin_shadow_by_column<F>(A, r, begun | run.stopped(), v, shadow);
    ByColumn<Number> rho = inner_product_by_column(shadow, r, run.stopped());
    begun = ColumnMask(b.n_components());
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
      axpy(alpha, p, x, run.stopped() | ends.complement());
      const ByColumn<Number> omega = ts / tt;
      const ColumnMask others = run.stopped() | ends;
      axpbypz(alpha, p, omega, r, x, others);                   // x = x + alpha p + omega s
      rr = choose(ends, ss, axpy_norm2(-omega, t, r, others));  // r = s - omega A s
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

namespace {

constexpr int most_l = 8;

/// The combination of r_1 ... r_l that makes r_0 smallest (ibid., Fig. 3.1), by orthogonalising them in their memory.
/// The indices of the paper: [0] is not used.
struct MinimalPolynomial {
  std::array<Number, most_l + 1> of_r{}, of_x{}, of_u{};  // the paper's gamma', gamma'' and gamma
  bool is_usable = true;

  template <class F>
  MinimalPolynomial(const std::vector<F>& r, int l, double nothing) {
    std::array<std::array<Number, most_l + 1>, most_l + 1> tau{};
    std::array<double, most_l + 1> sigma{};
    const auto at = [&](int j) -> const F& { return r[std::size_t(j)]; };
    for (int j = 1; j <= l; ++j) {
      const double before = norm2(at(j));
      for (int i = 1; i < j; ++i) {
        tau[i][j] = inner_product(at(i), at(j)) / sigma[i];
        axpy(-tau[i][j], at(i), at(j));
      }
      const auto [overlap, square] = inner_product_norm2(at(j), at(0));
      is_usable = is_usable && square > nothing * nothing * before;
      if (!is_usable) return;
      sigma[j] = square;
      of_r[j] = overlap / square;
    }
    for (int j = l; j > 0; --j) {
      of_u[j] = of_r[j];
      for (int i = j + 1; i <= l; ++i) of_u[j] -= tau[j][i] * of_u[i];
    }
    for (int j = 1; j < l; ++j) {
      of_x[j] = of_u[j + 1];
      for (int i = j + 1; i < l; ++i) of_x[j] += tau[j][i] * of_u[i + 1];
    }
  }
};

}  // namespace

/// Per l iterations: 2 l A, and about l (l + 7) / 2 inner products or norms and l (3 l + 7) / 2 updates.
template <class F>
SolveReport BiCgStabL::operator()(const AnyOperator<F>& A, const F& b, const F& x) const {
  require(1 <= l && l <= most_l, "BiCGstab(l) with l =", l, "is not possible: choose l from 1 to", most_l);
  SolveRun run(*this, b);
  const double bb = norm2(b), goal = tolerance * tolerance * bb;
  if (bb == 0) return run.finish_zero(b, x);
  constexpr double nothing = std::numeric_limits<typename F::Real>::epsilon();
  std::vector<F> r, u;  // r[j] = A^j r, u[j] = A^j u
  for (int j = 0; j <= l; ++j) {
    r.push_back(b.like("residual"));
    u.push_back(b.like("direction"));
  }
  const F shadow = b.like("shadow residual");
  bool tilt = false;
  for (;;) {
    double rr = true_residual(A, b, x, r[0]);
    const double residual = std::sqrt(rr / bb);
    if (run.over(residual, residual, bicgstab_patience)) return run.finish(r[0], b);
    const double shadow_norm = begin_shadow<F>(A, r[0], tilt, u[1], shadow);
    zero(u[0]);
    Number rho = 1, alpha = 0, omega = 1;
    tilt = true;
    while (rr > goal && run.may_iterate()) {
      rho *= -omega;
      int degree = 0;  // l, unless the recursion breaks down before
      for (; degree < l; ++degree) {
        const std::size_t j = std::size_t(degree);
        const Number next = inner_product(shadow, r[j]), beta = alpha * next / rho;
        for (std::size_t i = 0; i <= j; ++i) xpay(r[i], -beta, u[i]);
        A.apply(u[j], u[j + 1]);
        const auto [v_shadow, vv] = inner_product_norm2(u[j + 1], shadow);
        const Number overlap = std::conj(v_shadow);  // shadow^+ u[j + 1]
        if (next == 0.0 || !(std::abs(overlap) > nothing * shadow_norm * std::sqrt(vv))) break;
        rho = next;
        alpha = rho / overlap;
        axpy(alpha, u[0], x);
        for (std::size_t i = 0; i <= j; ++i) axpy(-alpha, u[i + 1], r[i]);
        A.apply(r[j], r[j + 1]);
      }
      if (degree == 0) break;
      tilt = false;
      const MinimalPolynomial p(r, degree, nothing);
      if (p.is_usable) {
        const std::size_t last = std::size_t(degree);
        omega = p.of_u[last];
        axpy(p.of_u[1], r[0], x);
        axpy(-p.of_u[last], u[last], u[0]);
        for (std::size_t j = 1; j < last; ++j) {
          axpy(-p.of_u[j], u[j], u[0]);
          axpy(p.of_x[j], r[j], x);
          axpy(-p.of_r[j], r[j], r[0]);
        }
        axpy(-p.of_r[last], r[last], r[0]);
      }
      rr = norm2(r[0]);
      for (int j = 0; j < degree && run.may_iterate(); ++j) run.step(std::sqrt(rr / bb));
      if (degree < l || !p.is_usable) break;
    }
  }
}

template SolveReport BiCgStabL::operator()(const AnyOperator<Field<Spinor, float>>&, const Field<Spinor, float>&,
                                           const Field<Spinor, float>&) const;
template SolveReport BiCgStabL::operator()(const AnyOperator<Field<Spinor, double>>&, const Field<Spinor, double>&,
                                           const Field<Spinor, double>&) const;
template SolveReport BiCgStabL::operator()(const AnyOperator<Field<ColorVector, float>>&,
                                           const Field<ColorVector, float>&, const Field<ColorVector, float>&) const;
template SolveReport BiCgStabL::operator()(const AnyOperator<Field<ColorVector, double>>&,
                                           const Field<ColorVector, double>&, const Field<ColorVector, double>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<Spinor, float>>&, const Field<Spinor, float>&,
                                          const Field<Spinor, float>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<4>>>&,
                                          const Field<Spinor, float, ColumnLanes<4>>&,
                                          const Field<Spinor, float, ColumnLanes<4>>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<8>>>&,
                                          const Field<Spinor, float, ColumnLanes<8>>&,
                                          const Field<Spinor, float, ColumnLanes<8>>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<Spinor, float, ColumnLanes<16>>>&,
                                          const Field<Spinor, float, ColumnLanes<16>>&,
                                          const Field<Spinor, float, ColumnLanes<16>>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<Spinor, double>>&, const Field<Spinor, double>&,
                                          const Field<Spinor, double>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<4>>>&,
                                          const Field<Spinor, double, ColumnLanes<4>>&,
                                          const Field<Spinor, double, ColumnLanes<4>>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<8>>>&,
                                          const Field<Spinor, double, ColumnLanes<8>>&,
                                          const Field<Spinor, double, ColumnLanes<8>>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<Spinor, double, ColumnLanes<16>>>&,
                                          const Field<Spinor, double, ColumnLanes<16>>&,
                                          const Field<Spinor, double, ColumnLanes<16>>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<ColorVector, float>>&,
                                          const Field<ColorVector, float>&, const Field<ColorVector, float>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<ColorVector, float, ColumnLanes<4>>>&,
                                          const Field<ColorVector, float, ColumnLanes<4>>&,
                                          const Field<ColorVector, float, ColumnLanes<4>>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<ColorVector, float, ColumnLanes<8>>>&,
                                          const Field<ColorVector, float, ColumnLanes<8>>&,
                                          const Field<ColorVector, float, ColumnLanes<8>>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<ColorVector, double>>&,
                                          const Field<ColorVector, double>&, const Field<ColorVector, double>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<ColorVector, double, ColumnLanes<4>>>&,
                                          const Field<ColorVector, double, ColumnLanes<4>>&,
                                          const Field<ColorVector, double, ColumnLanes<4>>&) const;
template SolveReport BiCgStab::operator()(const AnyOperator<Field<ColorVector, double, ColumnLanes<8>>>&,
                                          const Field<ColorVector, double, ColumnLanes<8>>&,
                                          const Field<ColorVector, double, ColumnLanes<8>>&) const;

}  // namespace kov
