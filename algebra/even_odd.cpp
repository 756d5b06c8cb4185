// SPDX-License-Identifier: MIT
#include "kov/algebra/even_odd.hpp"

#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <algorithm>
#include <cmath>

namespace kov {

template <class T>
SolveReport EvenOdd<T>::operator()(const Operator<F>& M, const F& b, const F& x) const {
  constexpr int patience = 2;
  SolveRun run(*this, b);
  const double bb = norm2(b);
  if (bb == 0) return run.finish_zero(b, x);
  const F r = b.like("residual"), source(b.lattice(), "even source", 1, Subset::even);
  reduce_source_(b, source);
  // The residual on the even sites is that on all sites (in the symmetric form, about that), but relative to another
  // source.  0.9 leaves room for the rounding of the odd sites.
  const double ratio = std::sqrt(bb / norm2(source));
  double goal = 0.9 * tolerance * ratio;
  for (bool first = true;; first = false) {
    M.apply(x, r);
    xpay(b, -1, r);  // r = b - M x
    const double residual = std::sqrt(norm2(r) / bb);
    if (run.over(residual, residual, patience)) return run.finish(r, b);
    if (!first) goal *= 0.5 * tolerance / residual;
    const Solver<F> solve = solver_.within(std::min(goal, 0.5), run.iterations_left(), run.inner_progress(1 / ratio));
    run.add(solve(reduced_, source, x.even()));
    complete_(b, x);
  }
}

template class EvenOdd<float>;
template class EvenOdd<double>;

}  // namespace kov
