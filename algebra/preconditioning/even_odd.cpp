// SPDX-License-Identifier: MIT
#include "kov/algebra/preconditioning/even_odd.hpp"

#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <algorithm>
#include <limits>

namespace kov {

namespace {

/// Of the columns that are not finished.
double smallest(const ByColumn<double>& numbers, const ColumnMask& finished) {
  double result = std::numeric_limits<double>::infinity();
  for (int k = 0; k < finished.size(); ++k)
    if (!finished.is_finished(k)) result = std::min(result, numbers[std::size_t(k)]);
  return result;
}

}  // namespace

template <class T, class Lanes>
SolveReport EvenOdd<T, Lanes>::operator()(const Operator<F>& M, const F& b, const F& x) const {
  constexpr int patience = 2;
  require(b.n_components() == n_columns_, name(), "for", n_columns_, "columns was given a source of", b.n_components(),
          ": construct it with the number of columns, EvenOdd(M, solver, form, n_columns)");
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b);
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const F r = b.like("residual"), source(b.lattice(), "even source", b.n_components(), Subset::even);
  reduce_source_(b, source);
  // The residual on the even sites is that on all sites (in the symmetric form, about that), but relative to another
  // source.  0.9 leaves room for the rounding of the odd sites.
  const ByColumn<double> ratio = sqrt(bb / norm2_by_column(source));
  ByColumn<double> goal = 0.9 * tolerance * ratio;
  F kept;  // solutions of columns that are over before others
  for (bool first = true;; first = false) {
    const ByColumn<double> residual = sqrt(true_residual_by_column<F>(M, b, x, r) / bb);
    if (run.over(residual, patience)) return run.finish(r, b);
    if (!first) goal = goal * (0.5 * tolerance / residual);
    const ColumnMask over = run.stopped(), others = over.complement();
    if (over.any_finished()) {
      if (!kept.n_components()) kept = x.like("solutions that are kept");
      copy(x, kept, others);
      zero(r);
      copy(r.even(), source, others);  // nothing to solve
    }
    const Solver<F> solve = solver_.within(std::min(smallest(goal, over), 0.5), run.iterations_left(),
                                           run.inner_progress(1 / smallest(ratio, over)));
    run.add(solve(reduced_, source, x.even()), 1.0 / ratio);
    complete_(b, x);
    if (over.any_finished()) copy(kept, x, others);
  }
}

template class EvenOdd<float>;
template class EvenOdd<double>;
template class EvenOdd<float, ColumnLanes<4>>;
template class EvenOdd<double, ColumnLanes<4>>;
template class EvenOdd<float, ColumnLanes<8>>;
template class EvenOdd<double, ColumnLanes<8>>;
template class EvenOdd<float, ColumnLanes<16>>;
template class EvenOdd<double, ColumnLanes<16>>;

}  // namespace kov
