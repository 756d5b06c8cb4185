// SPDX-License-Identifier: MIT
#include "kov/algebra/solve_run.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <cmath>

namespace kov {

namespace {

/// A residual that is this much larger than the smallest one, or larger than the source, is not there by rounding.
constexpr double diverged = 100;

}  // namespace

SolveRun::SolveRun(const Lattice& lattice, const std::string& name, double tolerance, int max_iterations,
                   OnFailure on_failure, const ProgressCallback& progress)
    : comm_(lattice.comm()),
      max_iterations_(max_iterations),
      on_failure_(on_failure),
      progress_(progress),
      start_(std::chrono::steady_clock::now()) {
  lattice.require_same("a solver", name, tolerance, max_iterations);
  require(tolerance > 0 && tolerance < 1, "a relative tolerance of", tolerance,
          "means nothing: choose one between 0 and 1, such as 1e-10");
  require(max_iterations >= 0, max_iterations, "iterations cannot be done: give a number that is not negative");
  report_.solver = name;
  report_.tolerance = tolerance;
}

void SolveRun::step(double residual) {
  ++report_.iterations;
  if (progress_) progress_({report_.iterations, residual, report_.tolerance});
}

ProgressCallback SolveRun::inner_progress(double scale) const {
  if (!progress_) return {};
  return
      [progress = progress_, done = report_.iterations, tolerance = report_.tolerance, scale](const SolveProgress& p) {
        progress({done + p.iteration, scale * p.residual, tolerance});
      };
}

bool SolveRun::over(double residual, double stopping_residual, int patience) {
  report_.residual = residual;
  report_.stopping_residual = stopping_residual;
  report_.converged = stopping_residual <= report_.tolerance;
  if (report_.converged) {
    report_.reason.clear();
    return true;
  }
  if (!report_.reason.empty()) return true;
  if (!std::isfinite(stopping_residual)) {
    report_.reason = "the residual is not finite";
    return true;
  }
  if (report_.iterations >= max_iterations_) {
    report_.reason = sentence("the limit of", max_iterations_, "iterations was reached");
    return true;
  }
  fruitless_ = stopping_residual <= 0.5 * best_ ? 0 : fruitless_ + 1;
  if (stopping_residual < best_) best_ = stopping_residual;
  if (fruitless_ >= patience) {
    report_.reason =
        stopping_residual > diverged * best_ || stopping_residual > 1
            ? sentence("restarts make the true residual larger, which was", best_,
                       "at best, so the solver diverges: the operator may have eigenvalues on both sides of zero, as a "
                       "Dirac operator has beyond its critical mass; conjugate gradients on normal equations do not "
                       "need them on one side")
            : "restarts no longer reduce the true residual, probably because rounding dominates it";
    return true;
  }
  if (++beginnings_ > 1) ++report_.restarts;
  return false;
}

/// A column of zeros is solved by zeros, exactly or not at all.
void SolveRun::set_column_residuals(const std::vector<double>& rr, const std::vector<double>& bb) {
  report_.column_residuals.clear();
  for (std::size_t k = 0; k < bb.size(); ++k)
    report_.column_residuals.push_back(rr[k] == 0 ? 0 : std::sqrt(rr[k] / bb[k]));
}

SolveReport SolveRun::finish() {
  std::vector<double> seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count()};
  comm_.max(seconds);  // so that all ranks report, and throw, the same
  report_.seconds = seconds[0];
  if (!report_.converged && on_failure_ == OnFailure::raise)
    throw ConvergenceError(
        report_.text() +
        "; the solution is not usable: check the operator and the links, allow more iterations, ask for "
        "less, or solve in double or mixed precision");
  return report_;
}

}  // namespace kov
