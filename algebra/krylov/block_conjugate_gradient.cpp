// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/block_conjugate_gradient.hpp"

#include "kov/algebra/krylov/small_matrix.hpp"
#include "kov/algebra/solve_run.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace kov {

namespace {

using detail::PositiveInverse, detail::SmallMatrix, detail::ThinFactors;

/// Beginnings from the true residual, without progress, after which the limit of precision counts as reached.
constexpr int block_patience = 2;

/// Squares of parts of vectors that are lost in the rounding of their inner products; and those that leave them so
/// inaccurate that they are made orthonormal twice.
constexpr double negligible_square = 1e-13, inaccurate_square = 1e-4;

/// The residuals R = Q delta, with Q^+ Q = 1, and directions P with P^+ Q = 1.
class BlockRecursion {
 public:
  /// Sets Ap to A p; returns p^+ A p.
  using Products = std::function<std::vector<std::complex<double>>(const Vector& p, const Vector& Ap)>;

  explicit BlockRecursion(const Vector& like)
      : n_(like.n_components()),
        noise_(like.rounding()),
        q_(like.like("orthonormal residual")),
        p_(like.like("direction")),
        w_(like.like("A direction")) {}

  /// That of over(), and one more for each beginning without columns that ended the one before.
  int patience() const { return patience_; }
  /// Where to put the true residual before run().
  const Vector& residual() const { return w_; }
  /// Iterates for the columns that are not stopped, until |r_k|^2 <= goal_k or it cannot go on; scale_k: what the
  /// residuals of reports are relative to.
  void run(SolveRun& run, const Products& A, const ByColumn<double>& goal, const ByColumn<double>& scale,
           const Vector& x);

 private:
  SmallMatrix orthonormalise();
  bool take_neglected(const SmallMatrix& gram, const ThinFactors& factors, SmallMatrix& r);
  SmallMatrix of_unfinished(const SmallMatrix& steps, const ColumnMask& finished) const;
  ByColumn<double> squares(const SmallMatrix& delta) const;
  void end(SolveRun& run, const PositiveInverse& inverse, const SmallMatrix& delta, bool at_once);

  int n_, rank_ = 0, patience_ = block_patience;
  double noise_;
  Vector q_, p_, w_;
};

/// Y = Q R for what is in q_, which becomes Q; returns R, or the inner products if they are not finite.
SmallMatrix BlockRecursion::orthonormalise() {
  SmallMatrix r(n_, n_);
  for (const bool first : {true, false}) {
    const SmallMatrix gram(n_, n_, gram_matrix(q_, q_));
    if (!gram.is_finite()) return gram;
    const ThinFactors factors = detail::thin_factors(gram, negligible_square);
    rotate(q_, factors.t.numbers(), w_);
    rank_ = factors.rank();
    r = first ? factors.r : factors.r * r;
    const bool has_more = first && take_neglected(gram, factors, r);
    std::swap(q_, w_);
    if (factors.smallest > inaccurate_square && !has_more) break;
  }
  return r;
}

/// Where the factors leave vectors of Y, in q_, out that depend on others only in the rounding of inner products:
/// computes what Q R, with Q in w_, lacks of them, and adds it to Q and R.  Returns whether there is any.
bool BlockRecursion::take_neglected(const SmallMatrix& gram, const ThinFactors& factors, SmallMatrix& r) {
  std::vector<char> neglected(std::size_t(n_), 0);
  for (int k = 0; k < n_; ++k) neglected[std::size_t(k)] = gram(k, k).real() > 0;
  for (const int k : factors.taken) neglected[std::size_t(k)] = 0;
  if (std::count(neglected.begin(), neglected.end(), 1) == 0) return false;
  rotate_add(w_, (-1.0 * factors.r).numbers(), q_);
  SmallMatrix rest(n_, n_, gram_matrix(q_, q_));
  for (int k = 0; k < n_; ++k)
    if (!neglected[std::size_t(k)] || rest(k, k).real() <= 1e4 * noise_ * noise_ * gram(k, k).real())
      for (int i = 0; i < n_; ++i) rest(i, k) = rest(k, i) = 0;
  const ThinFactors more = detail::thin_factors(rest, negligible_square);
  SmallMatrix to_q(n_, n_), to_r(n_, n_);
  for (int i = 0; i < more.rank(); ++i)
    for (int k = 0; k < n_; ++k) {
      to_q(k, rank_ + i) = more.t(k, i);
      to_r(rank_ + i, k) = more.r(i, k);
    }
  rotate_add(q_, to_q.numbers(), w_);
  r = r + to_r;
  rank_ += more.rank();
  return more.rank() > 0;
}

SmallMatrix BlockRecursion::of_unfinished(const SmallMatrix& steps, const ColumnMask& finished) const {
  SmallMatrix result = steps;
  for (int k = 0; k < n_; ++k)
    if (finished.is_finished(k))
      for (int i = 0; i < n_; ++i) result(i, k) = 0;
  return result;
}

ByColumn<double> BlockRecursion::squares(const SmallMatrix& delta) const {
  auto sums = ByColumn<double>::repeated(n_, 0);
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < n_; ++k) sums[std::size_t(k)] += std::norm(delta(i, k));
  return sums;
}

/// After a direction along which A is not positive: gives up the columns of whose residuals most lies along it, so that
/// the others begin anew without them, unless rounding alone may have made it so; then all begin anew.  at_once:
/// whether the directions are the residuals themselves, so that beginning anew changes nothing.
void BlockRecursion::end(SolveRun& run, const PositiveInverse& inverse, const SmallMatrix& delta, bool at_once) {
  if (!at_once && std::abs(inverse.relative_curvature) <= 100 * noise_) return;
  auto parts = ByColumn<double>::repeated(n_, 0);
  const ByColumn<double> lengths = sqrt(squares(delta));
  double largest = 0;
  for (int k = 0; k < n_; ++k) {
    if (run.stopped().is_finished(k)) continue;
    std::complex<double> overlap = 0;
    for (int i = 0; i < n_; ++i) overlap += std::conj(inverse.direction[std::size_t(i)]) * delta(i, k);
    parts[std::size_t(k)] = std::abs(overlap) / lengths[std::size_t(k)];
    largest = std::max(largest, parts[std::size_t(k)]);
  }
  run.give_up(not_above(ByColumn<double>::repeated(n_, 0.5 * largest), parts),
              sentence("p^+ A p =", inverse.curvature,
                       "of a combination p of directions is not positive, so the operator is not positive definite"));
  ++patience_;
}

void BlockRecursion::run(SolveRun& run, const Products& A, const ByColumn<double>& goal, const ByColumn<double>& scale,
                         const Vector& x) {
  zero(q_);
  copy(w_, q_, run.stopped());
  SmallMatrix rho = orthonormalise(), delta = rho;
  ByColumn<double> rr = squares(delta);
  for (bool first = true; run.may_iterate(not_above(rr, goal)); first = false) {
    copy(q_, first ? p_ : w_);
    if (!first) {
      rotate_add(p_, adjoint(rho).numbers(), w_);  // P = Q + P rho^+
      std::swap(p_, w_);
    }
    const SmallMatrix products(n_, n_, A(p_, w_));
    if (!products.is_finite() || !delta.is_finite())
      return run.give_up(run.stopped().complement(), "the operator makes numbers of a direction that are not finite");
    const PositiveInverse alpha = detail::positive_inverse(products, rank_, noise_);
    if (!alpha.direction.empty()) return end(run, alpha, delta, first);
    rotate_add(p_, of_unfinished(alpha.inverse * delta, run.stopped()).numbers(), x);  // X = X + P alpha delta
    rotate_add(w_, (-1.0 * alpha.inverse).numbers(), q_);
    rho = orthonormalise();  // Q rho = Q - A P alpha
    delta = rho * delta;
    rr = squares(delta);
    run.step(sqrt(rr / scale));
  }
}

}  // namespace

SolveReport BlockConjugateGradient::operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const {
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  BlockRecursion recursion(b);
  const auto products = [&](const Vector& p, const Vector& Ap) {
    A.apply(p, Ap);
    return gram_matrix(p, Ap);
  };
  for (;;) {
    const ByColumn<double> rr = true_residual_by_column(A, b, x, recursion.residual());
    if (run.over(sqrt(rr / bb), recursion.patience())) return run.finish(recursion.residual(), b);
    recursion.run(run, products, goal, bb, x);
  }
}

SolveReport NormalBlockConjugateGradient::operator()(const Operator<Vector>& A, const Vector& b,
                                                     const Vector& x) const {
  SolveRun run(*this, b);
  BlockRecursion recursion(b);
  const Vector r = b.like("residual");
  A.apply_adjoint(b, recursion.residual());
  const ByColumn<double> bb = norm2_by_column(b), cc = norm2_by_column(recursion.residual()),
                         goal = tolerance * tolerance * cc;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const auto products = [&](const Vector& p, const Vector& Ap) {
    A.apply(p, r);
    A.apply_adjoint(r, Ap);
    return gram_matrix(r, r);
  };
  for (;;) {
    const ByColumn<double> rr = true_residual_by_column(A, b, x, r);
    A.apply_adjoint(r, recursion.residual());
    const ByColumn<double> ss = norm2_by_column(recursion.residual());
    if (run.over(sqrt(rr / bb), sqrt(ss / cc), recursion.patience())) return run.finish(r, b);
    recursion.run(run, products, goal, cc, x);
  }
}

}  // namespace kov
