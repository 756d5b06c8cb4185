// SPDX-License-Identifier: MIT
#include "kov/algebra/precision/reliable_updates.hpp"

#include "kov/algebra/krylov/krylov_loops.hpp"
#include "kov/core/field/convert.hpp"

#include <algorithm>

namespace kov {

namespace {

/// Of both precisions together: what is left to high precision begins at most this often.
constexpr int patience_of_both = 3;

/// The place of a solution that is kept in high precision, apart from what was added to it since the last renewal.  For
/// the recursion each system is divided by |b_k|, so that low precision can hold it.
template <class Low, class High>
class ReliableSolution {
 public:
  ReliableSolution(const Operator<High>& A, const High& b, const ByColumn<double>& bb, const High& x, double delta)
      : A_(A),
        b_(b.alias()),
        x_(x.alias()),
        high_(b.like("residual in high precision")),
        update_(b.lattice(), "steps", b.n_components(), b.subset()),
        fresh_(update_.like("new residual")),
        size_(sqrt(bb)),
        most_(ByColumn<double>::repeated(b.n_components(), 0)),
        delta_squared_(delta * delta) {
    for (std::size_t k = 0; k < size_.size(); ++k)
      if (size_[k] == 0) size_[k] = 1;  // a column that is solved already
  }

  const Low& update() const { return update_; }

  ByColumn<double> restart(const Low& r) {
    if (has_steps_) add_steps({});
    has_steps_ = true;
    zero(update_);
    most_ = residual({});
    copy(fresh_, r);
    return most_;
  }

  ByColumn<double> renew(const ByColumn<double>& rr, const ColumnMask& stopped, const Low& r) {
    for (std::size_t k = 0; k < most_.size(); ++k) most_[k] = std::max(most_[k], rr[k]);
    const ColumnMask others = not_above(rr, delta_squared_ * most_).complement() | stopped;
    if (others.all_finished()) return rr;
    add_steps(others);
    scale(ByColumn<double>::repeated(update_.n_components(), 0), update_, others);
    const ByColumn<double> renewed = choose(others, rr, residual(others));
    copy(fresh_, r, others);
    most_ = choose(others, most_, renewed);
    return renewed;
  }

 private:
  void add_steps(const ColumnMask& others) {
    convert(update_, high_);
    axpy(size_, high_, x_, others);
  }
  /// Sets fresh_ to (b_k - A x_k) / |b_k|; returns the norms squared of columns that `others` does not name.
  ByColumn<double> residual(const ColumnMask& others) {
    A_.apply(x_, high_);
    xpay(b_, -1, high_);
    scale(1.0 / size_, high_);
    convert(high_, fresh_);
    return norm2_by_column(high_, others);
  }

  const Operator<High>& A_;
  High b_, x_, high_;
  Low update_, fresh_;
  ByColumn<double> size_, most_;
  double delta_squared_;
  bool has_steps_ = false;
};

}  // namespace

template <class LowStorage, class HighStorage, class Lanes>
SolveReport ReliableUpdates<LowStorage, HighStorage, Lanes>::operator()(const Operator<High>& A, const High& b,
                                                                        const High& x) const {
  require(delta > 0 && delta < 1, "reliable updates where the residual has fallen to", delta,
          "of what it was are not possible: choose delta between 0 and 1, such as 0.1");
  b.lattice().require_same("reliable updates", delta);
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b);
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const High r = b.like("residual");
  for (bool in_low = true;; in_low = false) {
    const ByColumn<double> residual = sqrt(true_residual_by_column<High>(A, b, x, r) / bb);
    if (run.over(residual, patience_of_both)) return run.finish(r, b);
    const SolveReport inner = std::visit(
        [&](auto solver) {
          solver.tolerance = tolerance;
          solver.max_iterations = run.iterations_left();
          solver.on_failure = OnFailure::report;
          solver.progress = run.inner_progress(1);
          if (!in_low) return solver(A, b, x);
          SolveRun low_run(solver, b);
          low_run.solve_zeros(bb, b, x);
          const ByColumn<double> ones = ByColumn<double>::repeated(b.n_components(), 1);
          ReliableSolution<Low, High> solution(A, b, bb, x, delta);
          const Low& like = solution.update();
          if constexpr (std::is_same_v<decltype(solver), BiCgStab>)
            return detail::run_bicgstab<Low>(low_run, low_, ones, tolerance * tolerance * ones, solution, like);
          else
            return detail::run_conjugate_gradient<Low>(low_run, low_, ones, tolerance * tolerance * ones, solution, like);
        },
        solver_);
    run.add(inner);
    if (inner.converged) continue;
    if (in_low)
      run.switch_precision();
    else
      for (int k = 0; k < run.stopped().size(); ++k)
        if (!run.stopped().is_finished(k) && !inner.column_reasons[std::size_t(k)].empty())
          run.give_up(k, inner.column_reasons[std::size_t(k)]);
  }
}

template class ReliableUpdates<float>;
template class ReliableUpdates<double>;
template class ReliableUpdates<float, float>;
template class ReliableUpdates<Fixed16, float>;
template class ReliableUpdates<Fixed16>;
template class ReliableUpdates<float, double, ColumnLanes<4>>;
template class ReliableUpdates<float, double, ColumnLanes<8>>;
template class ReliableUpdates<float, double, ColumnLanes<16>>;

}  // namespace kov
