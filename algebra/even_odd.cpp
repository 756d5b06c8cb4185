// SPDX-License-Identifier: MIT
#include "kov/algebra/even_odd.hpp"

#include "kov/algebra/solve_run.hpp"
#include "kov/core/field/field_ops.hpp"

#include <algorithm>
#include <cmath>

namespace kov {

template <class T>
EvenOddWilson<T>::EvenOddWilson(const WilsonOperator<T>& M)
    : M_(M), diagonal_(4 + M.mass()), odd_(M.lattice(), "odd sites", 1, Subset::odd) {
  require(diagonal_ != 0, "even-odd preconditioning divides by 4 + mass, which is 0: solve for all sites instead");
}

template <class T>
void EvenOddWilson<T>::apply(const SpinorField<T>& in, const SpinorField<T>& out, bool adjoint) const {
  M_.combine(0, 1, in, odd_, odd_, adjoint);
  M_.combine(diagonal_, -1 / (4 * diagonal_), odd_, in, out, adjoint);
}

template <class T>
void EvenOddWilson<T>::reduce_source(const SpinorField<T>& b, const SpinorField<T>& out) const {
  M_.combine(1, 1 / (2 * diagonal_), b.odd(), b.even(), out);
}

template <class T>
void EvenOddWilson<T>::complete(const SpinorField<T>& b, const SpinorField<T>& x) const {
  M_.combine(1 / diagonal_, 1 / (2 * diagonal_), x.even(), b.odd(), x.odd());
}

template <class T>
SolveReport EvenOdd<T>::operator()(const Operator<F>& M, const F& b, const F& x) const {
  constexpr int patience = 2;
  SolveRun run(*this, b);
  const double bb = norm2(b);
  if (bb == 0) {
    zero(x);
    run.over(0, 0, patience);
    return run.finish();
  }
  const F r = b.like("residual"), source(b.lattice(), "even source", 1, Subset::even);
  reduced_.reduce_source(b, source);
  // The residual on the even sites is that on all sites; only its scale is another.  0.9: rounding of the odd sites.
  const double ratio = std::sqrt(bb / norm2(source));
  double goal = 0.9 * tolerance * ratio;
  for (bool first = true;; first = false) {
    M.apply(x, r);
    xpay(b, -1, r);  // r = b - M x
    const double residual = std::sqrt(norm2(r) / bb);
    if (run.over(residual, residual, patience)) return run.finish();
    if (!first) goal *= 0.5 * tolerance / residual;
    const Solver<F> solve = solver_.within(std::min(goal, 0.5), run.iterations_left(), run.inner_progress(1 / ratio));
    run.add(solve(reduced_, source, x.even()));
    reduced_.complete(b, x);
  }
}

template class EvenOddWilson<float>;
template class EvenOddWilson<double>;
template class EvenOdd<float>;
template class EvenOdd<double>;

}  // namespace kov
