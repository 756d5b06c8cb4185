// SPDX-License-Identifier: MIT
//
// Even-odd preconditioning of a Dirac operator: the odd sites are eliminated, which about halves the work of a solve.
#pragma once

#include "kov/algebra/schur_complement.hpp"
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
template <class T>
class EvenOdd {
 public:
  using F = SpinorField<T>;

  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;

  template <class Storage, class Term>
  EvenOdd(const DiracOperator<Storage, Term>& M, const std::type_identity_t<Solver<F>>& solver,
          SchurForm form = SchurForm::asymmetric)
      : EvenOdd(SchurComplement<Storage, Term, F>(M, 1, form), solver) {}

  std::string name() const {
    return (form_ == SchurForm::symmetric ? "symmetric " : "") + ("even-odd " + solver_.name());
  }
  SolveReport operator()(const Operator<F>& M, const F& b, const F& x) const;

 private:
  template <class Storage, class Term>
  EvenOdd(const SchurComplement<Storage, Term, F>& reduced, const Solver<F>& solver)
      : tolerance(solver.tolerance),
        max_iterations(solver.max_iterations),
        on_failure(solver.on_failure),
        progress(solver.progress),
        form_(reduced.form()),
        reduced_(reduced),
        reduce_source_([reduced](const F& b, const F& out) { reduced.reduce_source(b, out); }),
        complete_([reduced](const F& b, const F& x) { reduced.complete(b, x); }),
        solver_(solver) {}

  SchurForm form_;
  Operator<F> reduced_;
  std::function<void(const F&, const F&)> reduce_source_, complete_;
  Solver<F> solver_;
};

template <class Storage, class Term, class S, class... Form>
EvenOdd(const DiracOperator<Storage, Term>&, const S&, Form...) -> EvenOdd<real_of_storage_t<ColorMatrix, Storage>>;

}  // namespace kov
