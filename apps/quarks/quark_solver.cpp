// SPDX-License-Identifier: MIT
#include "apps/quarks/quark_solver.hpp"

#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"

#include <cmath>
#include <optional>

namespace kov::app {

namespace {

/// The solver of solver.method.
template <class F>
Solver<F> plain_solver(const SolverChoice& choice) {
  const auto limited = [&](auto solver) {
    solver.tolerance = choice.tolerance;
    solver.max_iterations = choice.max_iterations;
    return Solver<F>(solver);
  };
  if (choice.method == "cg") return limited(NormalConjugateGradient{});
  if (choice.method == "bicgstab-2") return limited(BiCgStabL{.l = 2});
  if (choice.method == "gcr") return limited(Gcr{});
  return limited(BiCgStab{});
}

/// The solver that was chosen, for M: low is the same in single precision, for mixed ones.
template <class T, class Dirac, class Low>
Solver<SpinorField<T>> solver_of(const SolverChoice& choice, const Dirac& M, const std::optional<Low>& low) {
  const SchurForm form = choice.preconditioner == "even-odd-symmetric" ? SchurForm::symmetric : SchurForm::asymmetric;
  if constexpr (std::is_same_v<T, double>)
    if (low) {
      const Solver<SpinorField<float>> plain = plain_solver<SpinorField<float>>(choice);
      if (choice.is_even_odd()) return EvenOdd<T>(M, MixedPrecision(SchurComplement(*low, 1, form), plain), form);
      return MixedPrecision(*low, plain);
    }
  const Solver<SpinorField<T>> plain = plain_solver<SpinorField<T>>(choice);
  if (choice.is_even_odd()) return EvenOdd<T>(M, plain, form);
  return plain;
}

/// The operator of a quark.
template <class Dirac>
Dirac dirac_of(const GaugeField<double>& gauge, const QuarkAction& action) {
  if constexpr (std::is_same_v<Dirac, WilsonOperator<typename Dirac::Storage>>)
    return {GaugeLinks<typename Dirac::Storage>(gauge, action.boundary_angles()), action.mass};
  else
    return {gauge, action.boundary_angles(), {.mass = action.mass, .c_sw = action.c_sw}};
}

}  // namespace

template <class T>
QuarkSolver<T>::QuarkSolver(const GaugeField<double>& gauge, const QuarkAction& action, const SolverChoice& choice) {
  const auto make = [&]<template <class> class Dirac>() {
    const auto M = dirac_of<Dirac<T>>(gauge, action);
    std::optional<Dirac<float>> low;
    if (choice.precision == "mixed") low.emplace(dirac_of<Dirac<float>>(gauge, action));
    M_ = std::make_shared<const Operator<SpinorField<T>>>(M);
    solver_ = std::make_shared<const Solver<SpinorField<T>>>(solver_of<T>(choice, M, low));
  };
  if (action.c_sw == 0)
    make.template operator()<WilsonOperator>();
  else
    make.template operator()<WilsonCloverOperator>();
}

template <class T>
void require_usable(const Propagator<T>& source) {
  constexpr double least = std::is_same_v<T, float> ? 1e-30 : 1e-200;
  for (const double square : norm2_by_column(source.columns())) {
    const std::string what =
        sentence("the smeared source at", to_string(source.labels.origin), "has the norm", std::sqrt(square));
    require(square != 0, what + ":", "nothing follows from it; smear it less, or multiply source.formula by a number");
    require<ConvergenceError>(square >= least && square <= 1 / least, what + ",",
                              "whose powers are no numbers in this precision: smear it less, multiply source.formula",
                              "by a number, or take solver.precision double");
  }
}

template class QuarkSolver<float>;
template class QuarkSolver<double>;
template void require_usable(const Propagator<float>&);
template void require_usable(const Propagator<double>&);

}  // namespace kov::app
