// SPDX-License-Identifier: MIT
#include "kov/algebra/precision/reliable_updates.hpp"

#include "kov/algebra/krylov/krylov_loops.hpp"
#include "kov/algebra/precision/precision_stages.hpp"
#include "kov/algebra/solve_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace kov {

namespace {

/// Renewals that do not halve a column's smallest true residual, after which low precision brings it no further.
constexpr int renewals_patience = 4;
/// Steps that make |r|^2 this much larger are not taken.
constexpr double refused = 16;

/// A x = b in high precision, or A^+ A x = A^+ b.
struct System {
  const Operator<Vector>& A;
  Vector b, x;
  bool is_normal;
  /// |b_k|^2, or |A^+ b_k|^2.
  ByColumn<double> bb;

  /// What each system is divided by for the recursion, so that low precision can hold it: the power of two at |b_k|, or
  /// |A^+ b_k|, or below.  That rounds nothing, or iterations would differ from those of the high precision, and
  /// BiCGstab can amplify the last bit to all of the residual in ten of them.
  ByColumn<double> unit() const {
    ByColumn<double> unit = sqrt(bb);
    for (std::size_t k = 0; k < unit.size(); ++k) {
      if (std::isfinite(unit[k]) && unit[k] > 0) unit[k] = std::ldexp(1.0, std::ilogb(unit[k]));
      if (unit[k] == 0) unit[k] = 1;  // a column that is solved already
    }
    return unit;
  }
  /// |b_k|^2, or |A^+ b_k|^2, of the divided systems; 1 where they are solved already.
  ByColumn<double> divided_bb() const {
    const ByColumn<double> by = unit();
    ByColumn<double> divided = bb / by / by;
    for (std::size_t k = 0; k < divided.size(); ++k)
      if (bb[k] == 0) divided[k] = 1;
    return divided;
  }
};

/// Keeps a solution in high precision, apart from the steps since the last renewal.  For the recursion each system is
/// divided by its unit().
class ReliableSolution final : public detail::SolutionOfRecursion {
 public:
  ReliableSolution(const System& system, const Vector& steps, double delta)
      : A_(system.A),
        b_(system.b),
        x_(system.x),
        trial_(b_.like("solution with its steps")),
        residual_(b_.like("residual in high precision")),
        steps_(steps),
        low_residual_(steps.like("new residual")),
        unit_(system.unit()),
        source_norm_(sqrt(system.divided_bb())),
        schedule_(b_.n_components(), delta),
        defect_(ByColumn<double>::repeated(b_.n_components(), 0)),
        smallest_(ByColumn<double>::repeated(b_.n_components(), std::numeric_limits<double>::infinity())),
        smallest_defect_(smallest_),
        fruitless_(std::size_t(b_.n_components()), 0) {
    if (system.is_normal) between_ = b_.like("between A and A^+");
  }

  const Vector& update() const override { return steps_; }
  std::string overlap_name() const override {
    return between_ ? detail::NormalOperator::overlap_name : SolutionOfRecursion::overlap_name();
  }
  std::string reason_not_positive() const override {
    return between_ ? detail::NormalOperator::reason_not_positive : SolutionOfRecursion::reason_not_positive();
  }

  ByColumn<double> restart(SolveRun& run, const Vector& r, const ColumnMask& others, const Vector&) override {
    if (std::exchange(has_steps_, true))
      take_steps(others, run);
    else {
      accepted_ = true_residual(x_, {0, x_.n_components()});
      accepted_defect_ = defect_;
    }
    copy(low_residual_, r, others);
    schedule_.restart(accepted_, others);
    return accepted_;
  }

  ColumnMask due(const ByColumn<double>& rr, const SolveRun& run) override {
    const ColumnMask fallen = schedule_.due(rr, run);
    ColumnMask columns(fallen.size());
    for (int k = 0; k < columns.size(); ++k)
      if (fallen.is_finished(k) && has_drifted(schedule_.largest()[std::size_t(k)], source_norm_[std::size_t(k)]))
        columns.finish(k);
    return columns;
  }
  void renew(const ColumnMask& due, ByColumn<double>& rr, SolveRun& run, const Vector& r, const Vector&) override {
    run.count_renewal();
    const ColumnMask others = due.complement();
    const ByColumn<double> found = take_steps(others, run);
    schedule_.renew(due, rr, found);
    rr = choose(due, found, rr);
    copy(low_residual_, r, others);
  }

 private:
  /// Whether the recursion's residual, off by low precision times its largest since the last time, is worse than one
  /// computed anew, off by the rounding of b.  If not, the new one only disturbs the recursion: BiCGstab's residual
  /// jumps up where its overlap with the shadow residual is smaller than that (H. A. van der Vorst and Q. Ye, SIAM J.
  /// Sci. Comput. 22, 835 (2000)).
  bool has_drifted(double largest, double source_norm) const {
    return steps_.rounding() * std::sqrt(largest) > 2 * b_.rounding() * source_norm;
  }
  /// Adds the steps to x where the residual does not become larger by them, and begins new ones; gives up columns that
  /// come no further.  For the columns that `others` does not name; returns their |r_k|^2, and sets low_residual_.
  ByColumn<double> take_steps(const ColumnMask& others, SolveRun& run) {
    ByColumn<double> found = accepted_;
    for (const detail::ColumnRange& range : detail::ranges_with_any(x_.n_components(), x_.columns_together(), others)) {
      const Vector trial = range.of(trial_), steps = range.of(residual_);
      convert(range.of(steps_), steps);
      copy(range.of(x_), trial);
      axpy(range.of(unit_), steps, trial);
      const ByColumn<double> of_range = true_residual(trial_, range);
      std::copy(of_range.begin(), of_range.end(), &found[std::size_t(range.first)]);
    }
    zero_columns(steps_, others);
    ColumnMask kept = others;
    for (int k = 0; k < kept.size(); ++k) {
      const std::size_t i = std::size_t(k);
      if (others.is_finished(k)) continue;
      // Of normal equations, whose residuals A^+ (b - A x) may rise while b - A x falls.
      const bool is_refused = !(defect_[i] <= refused * accepted_defect_[i]);
      const bool is_smaller = found[i] <= 0.25 * smallest_[i] || defect_[i] <= 0.25 * smallest_defect_[i];
      fruitless_[i] = is_smaller ? 0 : fruitless_[i] + 1;
      if (found[i] < smallest_[i]) smallest_[i] = found[i];
      if (defect_[i] < smallest_defect_[i]) smallest_defect_[i] = defect_[i];
      if (is_refused) kept.finish(k);
      if ((is_refused || fruitless_[i] >= renewals_patience) && !run.stopped().is_finished(k))
        run.give_up(k, "low precision makes the true residual no smaller");
    }
    copy(trial_, x_, kept);
    accepted_ = choose(kept, accepted_, found);
    accepted_defect_ = choose(kept, accepted_defect_, defect_);
    return found;
  }
  /// Sets these columns of low_residual_ to b_k - A x_k, or A^+ (b_k - A x_k), divided by unit_, and defect_ to their
  /// |b_k - A x_k|^2, divided likewise; returns their norms squared.
  ByColumn<double> true_residual(const Vector& x, const detail::ColumnRange& columns) {
    const Vector residual = columns.of(residual_), defect = columns.of(between_ ? *between_ : residual_);
    const ByColumn<double> size = columns.of(unit_);
    A_.apply(columns.of(x), defect);
    xpay(columns.of(b_), -1, defect);
    if (between_) A_.apply_adjoint(defect, residual);
    scale(1.0 / size, residual);
    convert(residual, columns.of(low_residual_));
    const ByColumn<double> rr = norm2_by_column(residual);
    const ByColumn<double> of_defect = between_ ? norm2_by_column(defect) / size / size : rr;
    std::copy(of_defect.begin(), of_defect.end(), &defect_[std::size_t(columns.first)]);
    return rr;
  }
  /// A product with 0 would keep a NaN.
  void zero_columns(const Vector& field, const ColumnMask& others) {
    if (!zeros_) zeros_ = field.like("zeros");
    copy(*zeros_, field, others);
  }

  const Operator<Vector>& A_;
  Vector b_, x_, trial_, residual_, steps_, low_residual_;
  std::optional<Vector> between_;  // of normal equations
  std::optional<Vector> zeros_;
  ByColumn<double> unit_;
  /// Of the divided systems.
  ByColumn<double> source_norm_;
  detail::RenewalSchedule schedule_;
  /// |b_k - A x_k|^2 of the divided systems, as it was found last.
  ByColumn<double> defect_;
  /// |r_k|^2 and |b_k - A x_k|^2 of these: of x, and the smallest that were found.
  ByColumn<double> accepted_, accepted_defect_, smallest_, smallest_defect_;
  std::vector<int> fruitless_;
  bool has_steps_ = false;
};

}  // namespace

SolveReport detail::solve_with_renewals(SolveRun run, const Recursion& recursion, double tolerance, double delta,
                                        const Operator<Vector>& low, const Operator<Vector>& A, const Vector& b,
                                        const Vector& x, const Vector& steps) {
  b.lattice().require_same("reliable updates", delta);
  require(delta > 0 && delta < 1, "reliable updates where the residual has fallen to", delta,
          "of what it was are not possible: choose delta between 0 and 1, such as 0.1");
  const ByColumn<double> bb = norm2_by_column(b);
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const Vector r = b.like("residual");
  const bool is_normal = std::holds_alternative<NormalConjugateGradient>(recursion);
  const Vector of_normal = is_normal ? b.like("A^+ residual") : r;
  if (is_normal) A.apply_adjoint(b, of_normal);
  const System system{A, b, x, is_normal, is_normal ? norm2_by_column(of_normal) : bb};
  const auto solve_in_low = [&](const auto& solver) {
    SolveRun low_run(solver, b);
    low_run.solve_zeros(bb, b, x);
    const ByColumn<double> divided = system.divided_bb(), goal = tolerance * tolerance * divided;
    ReliableSolution solution(system, steps, delta);
    if constexpr (std::is_same_v<std::decay_t<decltype(solver)>, BiCgStab>)
      return run_bicgstab(low_run, low, divided, goal, solution, steps);
    else if (is_normal)
      return run_conjugate_gradient(low_run, NormalOperator{low, steps.like("between A and A^+")}, divided, goal,
                                    solution, steps);
    else
      return run_conjugate_gradient(low_run, low, divided, goal, solution, steps);
  };
  const auto solve = [&](const auto& in_precision) {
    return std::visit(
        [&](auto solver) {
          solver.tolerance = tolerance;
          solver.max_iterations = run.iterations_left();
          solver.on_failure = OnFailure::report;
          solver.progress = run.inner_progress(1);
          return in_precision(solver);
        },
        recursion);
  };
  const auto is_over = [&] {
    const ByColumn<double> residual = sqrt(true_residual_by_column(A, b, x, r) / bb);
    if (!is_normal) return run.over(residual, stages_patience);
    A.apply_adjoint(r, of_normal);
    return run.over(residual, sqrt(norm2_by_column(of_normal) / system.bb), stages_patience);
  };
  solve_in_stages(
      run, is_over, [&] { run.add(solve(solve_in_low)); },
      [&] {
        const ColumnMask over = run.stopped();
        const SolveReport inner = solve([&](const auto& solver) { return solve_columns(solver, A, b, x, over); });
        run.add(inner);
        if (inner.converged) return;
        for (int k = 0; k < over.size(); ++k)
          if (!run.stopped().is_finished(k) && !inner.column_reasons[std::size_t(k)].empty())
            run.give_up(k, inner.column_reasons[std::size_t(k)], inner.column_ends[std::size_t(k)]);
      });
  return run.finish(r, b);
}

}  // namespace kov
