// SPDX-License-Identifier: MIT
//
// Even-odd preconditioning of a Dirac operator: the odd sites are eliminated, which about halves the work of a solve.
#pragma once

#include "kov/algebra/preconditioning/schur_complement.hpp"
#include "kov/algebra/solver.hpp"

#include <functional>

namespace kov {

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

  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;

  template <class Storage, class Term>
  EvenOdd(const DiracOperator<Storage, Term>& M, const std::type_identity_t<Solver<F>>& solver,
          SchurForm form = SchurForm::asymmetric, int n_columns = 1)
      : EvenOdd(SchurComplement<Storage, Term, F>(M, n_columns, form), solver, n_columns) {}

  std::string name() const {
    return (form_ == SchurForm::symmetric ? "symmetric " : "") + ("even-odd " + solver_.name());
  }
  /// Throws InputError unless the fields have n_columns columns.
  SolveReport operator()(const Operator<F>& M, const F& b, const F& x) const;

 private:
  template <class Storage, class Term>
  EvenOdd(const SchurComplement<Storage, Term, F>& reduced, const Solver<F>& solver, int n_columns)
      : tolerance(solver.tolerance),
        max_iterations(solver.max_iterations),
        on_failure(solver.on_failure),
        progress(solver.progress),
        form_(reduced.form()),
        n_columns_(n_columns),
        reduced_(reduced),
        reduce_source_([reduced](const F& b, const F& out) { reduced.reduce_source(b, out); }),
        complete_([reduced](const F& b, const F& x) { reduced.complete(b, x); }),
        solver_(solver) {}

  SchurForm form_;
  int n_columns_;
  Operator<F> reduced_;
  std::function<void(const F&, const F&)> reduce_source_, complete_;
  Solver<F> solver_;
};

template <class Storage, class Term, class S, class... Form>
EvenOdd(const DiracOperator<Storage, Term>&, const S&, Form...) -> EvenOdd<real_of_storage_t<ColorMatrix, Storage>>;

}  // namespace kov
