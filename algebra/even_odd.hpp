// SPDX-License-Identifier: MIT
//
// Even-odd preconditioning of the Wilson operator: the odd sites are eliminated, which about halves the work of a
// solve.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/stencil/operators/wilson.hpp"

namespace kov {

/// What is left of M = m - 1/2 H, m = 4 + mass, on the even sites: M_e = m - 1/(4 m) H_eo H_oe.
///
/// Keeps a field to work in, which copies share: do not apply two of them at the same time.
template <class T>
class EvenOddWilson {
 public:
  /// Throws InputError for a mass of -4, where M has no diagonal.
  explicit EvenOddWilson(const WilsonOperator<T>& M);

  const Lattice& lattice() const { return M_.lattice(); }
  /// out = M_e in, both on even sites.
  void apply(const SpinorField<T>& in, const SpinorField<T>& out) const { apply(in, out, false); }
  void apply_adjoint(const SpinorField<T>& in, const SpinorField<T>& out) const { apply(in, out, true); }

  /// out = b_e + 1/(2 m) H_eo b_o: the source on even sites of a full source b.
  void reduce_source(const SpinorField<T>& b, const SpinorField<T>& out) const;
  /// x_o = (b_o + 1/2 H_oe x_e) / m: completes a full solution whose even sites solve the reduced system.
  void complete(const SpinorField<T>& b, const SpinorField<T>& x) const;

 private:
  void apply(const SpinorField<T>& in, const SpinorField<T>& out, bool adjoint) const;

  WilsonOperator<T> M_;
  double diagonal_;
  SpinorField<T> odd_;
};

/// Solves M x = b on all sites, until |b - M x| <= tolerance |b|, through another solver on the even sites.
///
/// EvenOdd(M, BiCgStab{.tolerance = 1e-12}), or in mixed precision
/// EvenOdd(M, MixedPrecision(EvenOddWilson(M_single), BiCgStab{.tolerance = 1e-12})).
/// Tolerance, limit and the rest come from the inner solver.  A solver itself; the operator it is called with has to be
/// M, and gives the true residual.
template <class T>
class EvenOdd {
 public:
  using F = SpinorField<T>;

  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;

  EvenOdd(const WilsonOperator<T>& M, const std::type_identity_t<Solver<F>>& solver)
      : tolerance(solver.tolerance),
        max_iterations(solver.max_iterations),
        on_failure(solver.on_failure),
        progress(solver.progress),
        reduced_(M),
        solver_(solver) {}

  std::string name() const { return "even-odd " + solver_.name(); }
  SolveReport operator()(const Operator<F>& M, const F& b, const F& x) const;

 private:
  EvenOddWilson<T> reduced_;
  Solver<F> solver_;
};

}  // namespace kov
