// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/bicgstab.hpp"

#include "kov/algebra/krylov/krylov_loops.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace kov {

SolveReport BiCgStab::operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const {
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  detail::SolutionInPlace solution(A, b, x);
  return detail::run_bicgstab(run, A, bb, goal, solution, b);
}

namespace {

using Number = std::complex<double>;
constexpr int most_l = 8;

/// The combination of r_1 ... r_l that makes r_0 smallest (ibid., Fig. 3.1), for each column, by orthogonalising them
/// in their memory.  The indices of the paper: [0] is not used.
struct MinimalPolynomials {
  std::array<ByColumn<Number>, most_l + 1> of_r, of_x, of_u;  // the paper's gamma', gamma'' and gamma
  /// The columns without a term j, [j].
  std::array<ColumnMask, most_l + 2> without;
  ColumnMask unusable;

  /// degree: of each column's polynomial, 0 for none.
  MinimalPolynomials(const std::vector<Vector>& r, int l, const std::vector<int>& degree, double nothing)
      : unusable(int(degree.size())) {
    const int n = int(degree.size());
    std::array<std::array<ByColumn<Number>, most_l + 1>, most_l + 1> tau;
    std::array<ByColumn<double>, most_l + 1> sigma;
    const auto at = [&](int j) -> const Vector& { return r[std::size_t(j)]; };
    for (int j = 1; j <= l; ++j) {
      ColumnMask others(n);
      for (int k = 0; k < n; ++k)
        if (degree[std::size_t(k)] < j) others.finish(k);
      others = others | unusable;
      const ByColumn<double> before = norm2_by_column(at(j), others);
      for (int i = 1; i < j; ++i) {
        tau[i][j] = inner_product_by_column(at(i), at(j), others) / sigma[i];
        axpy(-tau[i][j], at(i), at(j), others);
      }
      const auto [overlap, square] = inner_product_norm2_by_column(at(j), at(0), others);
      unusable = unusable | (others.complement() & not_above(square, nothing * nothing * before));
      sigma[j] = square;
      of_r[j] = overlap / square;
      of_x[j] = of_u[j] = ByColumn<Number>::repeated(n, 0);
      without[j] = others;
    }
    without[l + 1] = ColumnMask(n).complement();
    for (int j = 1; j <= l; ++j) without[j] = without[j] | unusable;
    for (int k = 0; k < n; ++k) {
      const std::size_t of_k = std::size_t(k);
      const int last = degree[of_k];
      for (int j = last; j > 0; --j) {
        of_u[j][of_k] = of_r[j][of_k];
        for (int i = j + 1; i <= last; ++i) of_u[j][of_k] -= tau[j][i][of_k] * of_u[i][of_k];
      }
      for (int j = 1; j < last; ++j) {
        of_x[j][of_k] = of_u[j + 1][of_k];
        for (int i = j + 1; i < last; ++i) of_x[j][of_k] += tau[j][i][of_k] * of_u[i + 1][of_k];
      }
    }
  }
};

}  // namespace

/// Per l iterations: 2 l A, and about l (l + 7) / 2 inner products or norms and l (3 l + 7) / 2 updates.
SolveReport BiCgStabL::operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const {
  b.lattice().require_same("BiCGstab(l)", l);
  require(1 <= l && l <= most_l, "BiCGstab(l) with l =", l, "is not possible: choose l from 1 to", most_l);
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const double nothing = b.rounding();
  const int n = b.n_components();
  std::vector<Vector> r, u;  // r[j] = A^j r, u[j] = A^j u
  for (int j = 0; j <= l; ++j) {
    r.push_back(b.like("residual"));
    u.push_back(b.like("direction"));
  }
  const Vector shadow = b.like("shadow residual");
  ColumnMask plain = ColumnMask(n).complement();  // columns that need no tilted shadow residual
  for (;;) {
    ByColumn<double> rr = true_residual_by_column(A, b, x, r[0]);
    if (run.over(sqrt(rr / bb), detail::bicgstab_patience)) return run.finish(r[0], b);
    const ByColumn<double> shadow_norm = detail::begin_shadow_by_column(A, r[0], plain, run.stopped(), u[1], shadow);
    zero(u[0]);
    ByColumn<Number> rho = ByColumn<Number>::repeated(n, 1), alpha = ByColumn<Number>::repeated(n, 0), omega = rho;
    plain = ColumnMask(n);
    while (run.may_iterate(not_above(rr, goal))) {
      rho = -omega * rho;
      ColumnMask others = run.stopped();
      std::vector<int> degree(std::size_t(n), 0);  // l, unless the recursion of a column breaks down before
      for (int step = 0; step < l; ++step) {
        const std::size_t j = std::size_t(step);
        const ByColumn<Number> next = inner_product_by_column(shadow, r[j], others), beta = alpha * next / rho;
        for (std::size_t i = 0; i <= j; ++i) xpay(r[i], -beta, u[i], others);
        apply_to_columns(A, u[j], u[j + 1], others);
        const auto [v_shadow, vv] = inner_product_norm2_by_column(u[j + 1], shadow, others);
        const ByColumn<Number> overlap = conj(v_shadow);  // shadow^+ u[j + 1]
        others = others | not_above(abs(next), 0) | not_above(abs(overlap), nothing * shadow_norm * sqrt(vv));
        if (others.all_finished()) break;
        rho = choose(others, rho, next);
        alpha = choose(others, alpha, rho / overlap);
        axpy(alpha, u[0], x, others);
        for (std::size_t i = 0; i <= j; ++i) axpy(-alpha, u[i + 1], r[i], others);
        apply_to_columns(A, r[j], r[j + 1], others);
        for (int k = 0; k < n; ++k) degree[std::size_t(k)] += !others.is_finished(k);
      }
      const MinimalPolynomials p(r, l, degree, nothing);
      axpy(p.of_u[1], r[0], x, p.without[1]);
      for (int k = 1; k <= l; ++k) {
        const std::size_t j = std::size_t(k);
        axpy(-p.of_u[j], u[j], u[0], p.without[j]);
        axpy(p.of_x[j], r[j], x, p.without[j + 1]);
        axpy(-p.of_r[j], r[j], r[0], p.without[j]);
      }
      omega = p.of_u[std::size_t(l)];
      rr = norm2_by_column(r[0], run.stopped());
      for (int step = 0; step < l; ++step) {
        ColumnMask done(n);
        for (int k = 0; k < n; ++k) {
          if (degree[std::size_t(k)] <= step) done.finish(k);
          if (degree[std::size_t(k)] > 0 && !run.stopped().is_finished(k)) plain.finish(k);
        }
        if (!run.may_iterate(done)) break;
        run.step(sqrt(rr / bb));
      }
      if (!run.may_iterate(p.unusable)) break;
    }
  }
}

}  // namespace kov
