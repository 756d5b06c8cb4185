// SPDX-License-Identifier: MIT
#include "apps/bench/scaling/scaling_solve.hpp"

#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/heatbath.hpp"

namespace kov::app {

namespace {

constexpr double noise = 0.1;
constexpr LinkForms forms{.doubled = true};

/// M in T.
template <class T>
WilsonOperator<T> wilson(const GaugeField<double>& gauge, const ScalingProblem& problem) {
  return {GaugeLinks<T>(gauge, BoundaryAngles::antiperiodic_in_time()), problem.mass, forms};
}
template <class T>
WilsonCloverOperator<T> clover(const GaugeField<double>& gauge, const ScalingProblem& problem) {
  return {gauge, BoundaryAngles::antiperiodic_in_time(), {.mass = problem.mass, .c_sw = problem.c_sw}, forms};
}

/// M: in T; low: M for spinors in Low.
template <class Low, class T, class M, class LowM>
ScalingSolve solve_with(const M& m, const LowM& low_m, const ScalingProblem& problem,
                        const ScalingPrecision& precision) {
  using LowF = SpinorField<Low>;
  const int n = problem.columns;
  const BiCgStab bicgstab{.tolerance = precision.tolerance, .on_failure = OnFailure::report};
  const SchurComplement<typename LowM::Storage, std::decay_t<decltype(low_m.site_term())>, LowF> low(low_m, n);
  const EvenOdd<T> solver(m, ReliableUpdates<Low, T>(low, bicgstab, precision.delta), SchurForm::asymmetric, n);
  const SpinorField<T> b(m.lattice(), "source", n), x = b.like("solution");
  const Operator<SpinorField<T>> A = m;
  return [=](int first_column, int max_iterations) {
    for (int k = 0; k < n; ++k) {
      const int column = first_column + k;
      copy_components(point_source<T>(b.lattice(), {0, 0, 0, 0}, column / 3 % 2, column % 3), 0, b, k, 1);
    }
    zero(x);
    auto solve = solver;
    solve.max_iterations = max_iterations;
    return solve(A, b, x);
  };
}

template <class Low, class T>
ScalingSolve make_solve(const Lattice& lattice, const ScalingProblem& problem, const ScalingPrecision& precision) {
  using LowReal = real_of_storage_t<Spinor, Low>;
  const GaugeField<double> gauge(lattice, "gauge", 4);
  weak_field_start(gauge, noise, 1);
  const auto with = [&](const auto& m, const auto& make_low) {
    if constexpr (std::is_same_v<LowReal, T>)
      return solve_with<Low, T>(m, m, problem, precision);
    else
      return solve_with<Low, T>(m, make_low(), problem, precision);
  };
  if (problem.action == "wilson")
    return with(wilson<T>(gauge, problem), [&] { return wilson<LowReal>(gauge, problem); });
  return with(clover<T>(gauge, problem), [&] { return clover<LowReal>(gauge, problem); });
}

}  // namespace

const std::vector<ScalingPrecision>& scaling_precisions() {
  static const std::vector<ScalingPrecision> all{
      {"single", 1e-6, 1e-3, make_solve<float, float>},
      {"single/16-bit", 1e-6, 1e-1, make_solve<Fixed16, float>},
      {"double", 1e-12, 1e-5, make_solve<double, double>},
      {"double/single", 1e-12, 1e-2, make_solve<float, double>},
      {"double/16-bit", 1e-12, 1e-1, make_solve<Fixed16, double>},
  };
  return all;
}

}  // namespace kov::app
