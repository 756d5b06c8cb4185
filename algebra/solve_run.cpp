// SPDX-License-Identifier: MIT
#include "kov/algebra/solve_run.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <algorithm>
#include <cmath>

namespace kov {

double smallest_unfinished(const ByColumn<double>& numbers, const ColumnMask& finished) {
  double result = std::numeric_limits<double>::infinity();
  for (int k = 0; k < finished.size(); ++k)
    if (!finished.is_finished(k)) result = std::min(result, numbers[std::size_t(k)]);
  return result;
}

double largest_unfinished(const ByColumn<double>& numbers, const ColumnMask& finished) {
  double result = 0;
  for (int k = 0; k < finished.size(); ++k)
    if (!finished.is_finished(k)) result = std::max(result, numbers[std::size_t(k)]);
  return result;
}

namespace {

/// A residual that is this much larger than the smallest one, or larger than the source, is not there by rounding.
constexpr double diverged = 100;
/// A solver whose residual is still above this share of the source, after more than one start in each precision, may
/// never get there.
constexpr double little_progress = 0.1;
constexpr int starts_of_stages = 2;
/// A residual above this share of the source is not there by rounding: in single precision that would take an operator
/// with a condition number of 1e5.
constexpr double above_rounding = 0.01;
bool is_of_normal_equations(const std::string& solver) { return solver.find("normal equations") != std::string::npos; }
/// What may be wrong where restarts do not help this solver, and the remedy; nothing for normal equations, whose
/// operators are positive.
std::string hint(const std::string& solver) {
  if (is_of_normal_equations(solver)) return "";
  return ": the operator may have eigenvalues on both sides of zero, as a Dirac operator has beyond its critical mass; "
         "conjugate gradients on normal equations do not need them on one side";
}
/// A residual has grown beyond rounding when its own rounding is this share of what it began with.
constexpr double lost = 0.01;

/// Between the roundings of double and single precision.
constexpr double between_roundings = 1e-10;

}  // namespace

SolveRun::SolveRun(const Lattice& lattice, const std::string& name, double tolerance, int max_iterations,
                   OnFailure on_failure, const ProgressCallback& progress, double rounding)
    : comm_(lattice.comm()),
      max_iterations_(max_iterations),
      rounding_(rounding),
      on_failure_(on_failure),
      progress_(progress),
      start_(std::chrono::steady_clock::now()),
      before_(work_done()) {
  lattice.require_same("a solver", name, tolerance, max_iterations);
  require(tolerance > 0 && tolerance < 1, "a relative tolerance of", tolerance,
          "means nothing: choose one between 0 and 1, such as 1e-10");
  require(max_iterations >= 0, max_iterations, "iterations cannot be done: give a number that is not negative");
  report_.solver = name;
  report_.tolerance = tolerance;
}

ColumnMask SolveRun::start_with_zeros(const ByColumn<double>& bb) {
  systems_.resize(bb.size());
  ColumnMask others(int(bb.size()));
  for (std::size_t k = 0; k < bb.size(); ++k) {
    systems_[k].is_zero = bb[k] == 0;
    if (systems_[k].is_zero)
      systems_[k].end = SolveEnd::converged;
    else
      others.finish(int(k));
  }
  return others;
}

int SolveRun::slowest() const {
  int most = 0;
  for (const System& system : systems_) most = std::max(most, system.iterations);
  return most;
}

int SolveRun::iterations_left() const {
  int most = 0;
  for (int k = 0; k < stopped_.size(); ++k)
    if (!stopped_.is_finished(k)) most = std::max(most, max_iterations_ - systems_[std::size_t(k)].iterations);
  return most;
}

void SolveRun::step(const ByColumn<double>& residual) {
  double worst = 0;
  for (int k = 0; k < stopped_.size(); ++k) {
    if (stopped_.is_finished(k)) continue;
    System& system = systems_[std::size_t(k)];
    const double of_system = residual[std::size_t(k)];
    if (of_system > worst || std::isnan(of_system)) worst = of_system;
    system.history.push_back(of_system);
    if (++system.iterations >= max_iterations_) stopped_.finish(k);
  }
  if (progress_) progress_({slowest(), worst, report_.tolerance});
}

void SolveRun::give_up(int system, const std::string& reason, SolveEnd end) {
  systems_[std::size_t(system)].reason = reason;
  systems_[std::size_t(system)].end = end;
  stopped_.finish(system);
}

void SolveRun::give_up(const ColumnMask& systems, const std::string& reason) {
  for (int k = 0; k < stopped_.size(); ++k)
    if (systems.is_finished(k) && !stopped_.is_finished(k)) give_up(k, reason);
}

void SolveRun::give_up(const std::string& reason) {
  for (int k = 0; k < stopped_.size(); ++k) {
    const System& system = systems_[std::size_t(k)];
    if (system.end != SolveEnd::converged && system.reason.empty()) give_up(k, reason);
  }
}

void SolveRun::give_up_unless_positive(const ByColumn<double>& pq, const std::string& what, const std::string& reason) {
  for (int k = 0; k < stopped_.size(); ++k) {
    const double square = pq[std::size_t(k)];
    if (stopped_.is_finished(k) || (square > 0 && std::isfinite(square))) continue;
    give_up(k, std::isfinite(square) ? sentence(what, "=", square, "is not positive,", reason)
                                     : sentence(what, "is not finite"));
  }
}

void SolveRun::give_up_without_digits(const ByColumn<double>& residual, double rounding) {
  for (int k = 0; k < stopped_.size(); ++k)
    if (const double size = residual[std::size_t(k)], began = systems_[std::size_t(k)].stopping_residual;
        !stopped_.is_finished(k) && size * rounding > lost * std::max(1.0, began))
      give_up(
          k, sentence("the residual grew to", size,
                      "times the source, whose digits are lost in its rounding, so the operator is singular, or nearly "
                      "so, and the source has a part that it does not reach"));
}

ProgressCallback SolveRun::inner_progress(double scale) const {
  if (!progress_) return {};
  return [progress = progress_, done = slowest(), tolerance = report_.tolerance, scale](const SolveProgress& p) {
    progress({done + p.iteration, scale * p.residual, tolerance});
  };
}

void SolveRun::add(const SolveReport& inner, const ByColumn<double>& scale) {
  report_.renewals += inner.renewals;
  report_.precision_switches += inner.precision_switches;
  inner_restarts_ += inner.restarts;
  const bool by_column = inner.column_iterations.size() == systems_.size();
  for (int k = 0; k < stopped_.size(); ++k) {
    if (stopped_.is_finished(k)) continue;
    System& system = systems_[std::size_t(k)];
    system.iterations += by_column ? inner.column_iterations[std::size_t(k)] : inner.iterations;
    if (const std::size_t place = by_column ? std::size_t(k) : 0; place < inner.history.size())
      for (const double residual : inner.history[place])
        system.history.push_back(scale[scale.size() > 1 ? std::size_t(k) : 0] * residual);
    if (system.iterations >= max_iterations_) stopped_.finish(k);
  }
}

bool SolveRun::over(const ByColumn<double>& residual, const ByColumn<double>& stopping_residual, int patience,
                    const ColumnMask& others) {
  require(others.n_unfinished() == others.size() ||
              (others.size() == stopped_.size() && others.size() == int(residual.size())),
          "a solver judges", residual.size(), "systems but for those of a mask of", std::to_string(others.size()) + ",",
          "and", stopped_.size(), "have begun: begin all systems together, and give a mask of as many");
  systems_.resize(residual.size());
  stopped_ = ColumnMask(int(residual.size())) | (stopped_ & others);
  for (std::size_t k = 0; k < systems_.size(); ++k) {
    if (others.is_finished(int(k))) continue;
    System& system = systems_[k];
    if (!system.is_zero) {
      system.residual = residual[k];
      system.stopping_residual = stopping_residual[k];
    }
    if (system.is_zero || is_over(system, patience)) stopped_.finish(int(k));
  }
  return !may_iterate();
}

bool SolveRun::is_over(System& system, int patience) const {
  if (system.stopping_residual <= report_.tolerance) {
    system.end = SolveEnd::converged;
    system.reason.clear();
    return true;
  }
  if (!system.reason.empty()) return true;
  system.end = SolveEnd::otherwise;
  if (!std::isfinite(system.stopping_residual)) {
    system.reason = "the residual is not finite";
    return true;
  }
  if (system.iterations >= max_iterations_) {
    system.reason = sentence("the limit of", max_iterations_, "iterations was reached");
    system.end = SolveEnd::at_limit;
    const double least = std::min(system.best, system.stopping_residual);
    if (system.beginnings + inner_restarts_ > starts_of_stages && least > little_progress)
      system.reason += sentence(", and restarts left", least, "of the source") + hint(report_.solver);
    return true;
  }
  system.fruitless = system.stopping_residual <= 0.5 * system.best ? 0 : system.fruitless + 1;
  if (system.stopping_residual < system.best) system.best = system.stopping_residual;
  if (system.fruitless >= patience) {
    if (system.stopping_residual > diverged * system.best || system.stopping_residual > 1) {
      system.reason = sentence("restarts make the true residual larger, which was", system.best,
                               "at best, so the solver diverges") +
                      hint(report_.solver);
    } else if (system.best > above_rounding && !is_of_normal_equations(report_.solver)) {
      // Normal equations square the condition number, and with it their rounding.
      system.reason = sentence("restarts no longer reduce the true residual, which is", system.best,
                               "times the source, so the solver does not converge on this system") +
                      hint(report_.solver);
    } else {
      system.reason = "restarts no longer reduce the true residual, probably because rounding dominates it";
      system.end = SolveEnd::by_rounding;
    }
    return true;
  }
  ++system.beginnings;
  return false;
}

/// What may help where systems did not converge.
std::string SolveRun::remedy() const {
  const auto solver_is = [&](const char* part) { return report_.solver.find(part) != std::string::npos; };
  const auto any_ended = [&](SolveEnd end) {
    return std::any_of(systems_.begin(), systems_.end(), [end](const System& system) { return system.end == end; });
  };
  const std::string check = "check the operator and the links";
  // Recursions may fall below what a true residual can be, until the limit or until their numbers underflow.
  const double reached = report_.stopping_residual;
  const bool at_limit = any_ended(SolveEnd::at_limit),
             lost_digits = report_.iterations > 0 && !(reached > 1e3 * rounding_),
             out_of_reach = report_.tolerance < rounding_ && (at_limit || lost_digits);
  const std::string more = at_limit && !out_of_reach ? "allow more iterations, " : "";
  if (!out_of_reach && !any_ended(SolveEnd::by_rounding)) return more + (at_limit ? "ask for less, or " : "") + check;
  const bool in_double = rounding_ < between_roundings;
  std::string text = sentence(in_double ? "double" : "single", "precision reaches about",
                              in_double ? least_tolerance_in_double : least_tolerance_in_single, "at best");
  if (std::isfinite(reached)) text += sentence(", and this solve", reached);
  text += ": " + more + "ask for a larger tolerance";
  if (!in_double) text += ", or solve in double or mixed precision";
  const bool squares = is_of_normal_equations(report_.solver) && !solver_is("normal equations of the error");
  if (squares && !solver_is("even-odd")) text += ", or take CGNE or even sites, which lose fewer digits";
  return std::isfinite(reached) ? text : text + ", or " + check;
}

void SolveRun::tell_columns() {
  report_.column_residuals.clear();
  report_.column_iterations.clear();
  report_.column_reasons.clear();
  report_.column_ends.clear();
  for (const System& system : systems_) {
    report_.column_residuals.push_back(system.residual);
    report_.column_iterations.push_back(system.iterations);
    report_.column_reasons.push_back(system.reason);
    report_.column_ends.push_back(system.end);
  }
}

/// A column of zeros is solved by zeros, exactly or not at all.
void SolveRun::tell_column_residuals(const ByColumn<double>& rr, const ByColumn<double>& bb) {
  report_.column_residuals.clear();
  for (std::size_t k = 0; k < bb.size(); ++k)
    report_.column_residuals.push_back(rr[k] == 0 ? 0 : std::sqrt(rr[k] / bb[k]));
}

SolveReport SolveRun::finish() {
  const auto raise_to = [](auto& worst, const auto& value) {
    if (value > worst || value != value) worst = value;  // NaN is the worst
  };
  report_.converged = true;
  report_.residual = report_.stopping_residual = 0;
  for (const System& system : systems_) {
    report_.converged = report_.converged && system.end == SolveEnd::converged;
    raise_to(report_.residual, system.residual);
    raise_to(report_.stopping_residual, system.stopping_residual);
    raise_to(report_.restarts, std::max(system.beginnings - 1, 0));
  }
  report_.history.clear();
  for (System& system : systems_) report_.history.push_back(std::move(system.history));
  report_.restarts += inner_restarts_;
  report_.iterations = slowest();
  std::vector<std::string> reasons;
  for (const System& system : systems_) reasons.push_back(system.reason);
  report_.reason = detail::reasons_of_columns(reasons, 0, int(reasons.size()));
  report_.remedy = report_.converged ? "" : remedy();
  std::vector<double> seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count()};
  comm_.max(seconds);  // so that all ranks report, and throw, the same
  report_.seconds = seconds[0];
  std::vector<double> work{work_done().flops - before_.flops, work_done().bytes - before_.bytes};
  comm_.sum(work);
  report_.flops = work[0];
  report_.bytes = work[1];
  if (!report_.converged && on_failure_ == OnFailure::raise) throw ConvergenceError(report_.failure());
  return report_;
}

}  // namespace kov
