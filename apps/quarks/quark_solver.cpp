// SPDX-License-Identifier: MIT
#include "apps/quarks/quark_solver.hpp"

#include "apps/quarks/quark_operator.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <cmath>
#include <optional>

namespace kov::app {

namespace {

/// For messages.
template <class T>
std::string source_text(const Propagator<T>& source) {
  return "source at [" + to_string(source.labels.origin) + "]";
}

}  // namespace

std::string warning_of_switches(int precision_switches) {
  return sentence("low precision brought columns no further, and higher precision went on,", precision_switches,
                  precision_switches == 1 ? "time;" : "times;", "another solver.precision may be faster");
}

/// Operators and solvers for one column and for all at once.
template <class T>
struct QuarkSolver<T>::Parts {
  GaugeField<double> gauge;
  QuarkAction action;
  SolverChoice choice;
  int n_columns;
  mutable QuarkOperator<T> one_by_one = {};
  QuarkOperator<T> together = {};

  const QuarkOperator<T>& of_columns() const {
    if (!one_by_one.M) one_by_one = quark_operator<T>(gauge, action, choice);
    return one_by_one;
  }
};

template <class T>
QuarkSolver<T>::QuarkSolver(const GaugeField<double>& gauge, const QuarkAction& action, const SolverChoice& choice,
                            int n_columns) {
  auto parts = std::make_shared<Parts>(Parts{gauge.alias(), action, choice, n_columns});
  if (choice.is_together())
    parts->together = quark_operator<T>(gauge, action, choice, n_columns);
  else
    parts->of_columns();
  parts_ = parts;
}

template <class T>
SolvedPropagator<T> QuarkSolver<T>::solve(const Propagator<T>& source, const SolveCallback& progress) const {
  SolvedPropagator<T> solved{source.like("propagator"), {}};
  if (parts_->choice.is_together()) {
    solved.reports = solve_together(source, solved.propagator, progress);
    return solved;
  }
  for (int k = 0; k < 12; ++k) {
    solved.reports.push_back(solve_column(source, k, solved.propagator));
    progress(solved.reports.back(), 1);
  }
  return solved;
}

template <class T>
SolveReport QuarkSolver<T>::solve_column(const Propagator<T>& source, int k, const Propagator<T>& x) const {
  zero(x.column(k));
  return naming(source_text(source), [&] {
    return solve_some(solver(), M(), source.column(k), x.column(k), {k, 1, 12});
  });
}

template <class T>
const Operator<SpinorField<T>>& QuarkSolver<T>::M() const {
  return *parts_->of_columns().M;
}

template <class T>
const Solver<SpinorField<T>>& QuarkSolver<T>::solver() const {
  return *parts_->of_columns().solver;
}

template <class T>
const std::string& QuarkSolver<T>::deflation() const {
  return parts_->choice.is_together() ? parts_->together.deflation : parts_->one_by_one.deflation;
}

template <class T>
std::vector<SolveReport> QuarkSolver<T>::solve_together(const Propagator<T>& source, const Propagator<T>& x,
                                                        const SolveCallback& progress) const {
  const int n = parts_->n_columns;
  std::vector<SolveReport> reports;
  for (int first = 0; first < 12; first += n) {
    const SpinorField<T> b = source.columns().components(first, n), solution = x.columns().components(first, n);
    zero(solution);
    reports.push_back(naming(source_text(source), [&] {
      return solve_some(*parts_->together.solver, *parts_->together.M, b, solution, {first, n, 12});
    }));
    progress(reports.back(), n);
  }
  return reports;
}

template <class T>
void require_usable(const Propagator<T>& source) {
  constexpr double least = std::is_same_v<T, float> ? 1e-30 : 1e-200;
  for (const double square : norm2_by_column(source.columns())) {
    const std::string what =
        sentence("the smeared source at", to_string(source.labels.origin), "has the norm", std::sqrt(square));
    require(square != 0, what + ":", "nothing follows from it; smear it less, or multiply source.formula by a number");
    require<ConvergenceError>(square >= least && square <= 1 / least, what + ",",
                              "whose powers are no numbers in this precision: smear it less, or multiply",
                              std::is_same_v<T, float> ? "source.formula by a number, or take solver.precision double"
                                                       : "source.formula by a number");
  }
}

template class QuarkSolver<float>;
template class QuarkSolver<double>;
template void require_usable(const Propagator<float>&);
template void require_usable(const Propagator<double>&);

}  // namespace kov::app
