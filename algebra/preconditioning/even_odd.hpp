// SPDX-License-Identifier: MIT
//
// Even-odd preconditioning of a Dirac operator: the odd sites are eliminated, which about halves the work of a solve.
#pragma once

#include "kov/algebra/preconditioning/schur_complement.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/algebra/solver.hpp"
#include "kov/algebra/vector.hpp"
#include "kov/core/launch/function_ref.hpp"

#include <memory>
#include <string>

namespace kov {

namespace detail {
/// What EvenOdd and Schwarz need of a SchurComplement, whatever its types are.
struct OddSites {
  virtual ~OddSites() = default;
  virtual void reduce_source(const Vector& b, const Vector& source, const Exec& exec) const = 0;
  virtual void restore_residual(const Vector& reduced, const Vector& full, const Exec& exec) const = 0;
  virtual void complete(const Vector& b, const Vector& x, const Exec& exec) const = 0;
};
template <class Reduced>
struct OddSitesOf final : OddSites {
  using F = typename Reduced::F;

  explicit OddSitesOf(const Reduced& reduced) : reduced(reduced) {}
  void reduce_source(const Vector& b, const Vector& source, const Exec& exec) const override {
    reduced.reduce_source(b.as<F>(), source.as<F>(), exec);
  }
  void restore_residual(const Vector& in, const Vector& out, const Exec& exec) const override {
    reduced.restore_residual(in.as<F>(), out.as<F>(), exec);
  }
  void complete(const Vector& b, const Vector& x, const Exec& exec) const override {
    reduced.complete(b.as<F>(), x.as<F>(), exec);
  }

  Reduced reduced;
};

/// Solves on even sites: to a tolerance, in at most this many iterations.
using EvenSolve = FunctionRef<SolveReport(double goal, int iterations_left, const ProgressCallback& progress,
                                          const Vector& source, const Vector& x)>;
SolveReport solve_even_odd(SolveRun run, double tolerance, const OddSites& odd, const EvenSolve& solve,
                           const Operator<Vector>& M, const Vector& b, const Vector& x);
}  // namespace detail

/// Solves M x = b on all sites, until |b - M x| <= tolerance |b|, through another solver on the even sites.
///
/// EvenOdd(M, BiCgStab{.tolerance = 1e-12}), or in mixed precision
/// EvenOdd(M, MixedPrecision(SchurComplement(M_single), BiCgStab{.tolerance = 1e-12})).  In another form both have it:
/// EvenOdd(M, MixedPrecision(SchurComplement(M_single, 1, SchurForm::symmetric), ...), SchurForm::symmetric).
/// Tolerance, limit, failure and progress are taken from the inner solver.  EvenOdd is a solver itself; it must be
/// called with the operator M, from which the true residual is computed.
///
/// Every column is a system of its own, and is not touched again once it has converged.  All columns share the
/// tolerance and the limit of each inner solve, as in MixedPrecision.
///
/// n_columns: of the fields it will be called with.  Lanes: of them, EvenOdd<double, ColumnLanes<8>>(M, solver,
/// SchurForm::asymmetric, 12); then M needs links with LinkForms{.columns = true}.
template <class T, class Lanes = SiteLanes>
class EvenOdd {
 public:
  using F = SpinorField<T, Lanes>;

  /// Of every solver, see LinearSolver.
  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;

  template <class Storage, class Term, class HopT>
  EvenOdd(const DiracOperator<Storage, Term, HopT>& M, const std::type_identity_t<Solver<F>>& solver,
          SchurForm form = SchurForm::asymmetric, int n_columns = 1)
      : EvenOdd(SchurComplement<Storage, Term, F, HopT>(M, n_columns, form), solver, n_columns) {}

  std::string name() const {
    return (form_ == SchurForm::symmetric ? "symmetric " : "") + ("even-odd " + solver_.name());
  }
  /// Throws InputError unless the fields have n_columns columns.
  SolveReport operator()(const Operator<F>& M, const F& b, const F& x) const {
    require(b.n_components() == n_columns_, name(), "for", n_columns_, "columns was given a source of",
            b.n_components(), ": construct it with the number of columns, EvenOdd(M, solver, form, n_columns)");
    const auto solve_on_even = [this](double goal, int iterations_left, const ProgressCallback& inner_progress,
                                      const Vector& source, const Vector& even_x) {
      return solver_.within(goal, iterations_left, inner_progress)(reduced_, source.as<F>(), even_x.as<F>());
    };
    return detail::solve_even_odd(SolveRun(*this, b), tolerance, *odd_, solve_on_even, on_vectors(M), Vector(b),
                                  Vector(x));
  }

 private:
  template <class Storage, class Term, class HopT>
  EvenOdd(const SchurComplement<Storage, Term, F, HopT>& reduced, const Solver<F>& solver, int n_columns)
      : tolerance(solver.tolerance),
        max_iterations(solver.max_iterations),
        on_failure(solver.on_failure),
        progress(solver.progress),
        form_(reduced.form()),
        n_columns_(n_columns),
        odd_(std::make_shared<const detail::OddSitesOf<SchurComplement<Storage, Term, F, HopT>>>(reduced)),
        reduced_(reduced),
        solver_(solver) {}

  SchurForm form_;
  int n_columns_;
  std::shared_ptr<const detail::OddSites> odd_;
  Operator<F> reduced_;
  Solver<F> solver_;
};

template <class Storage, class Term, class HopT, class S, class... Form>
EvenOdd(const DiracOperator<Storage, Term, HopT>&, const S&, Form...)
    -> EvenOdd<real_of_storage_t<ColorMatrix, Storage>>;

}  // namespace kov
