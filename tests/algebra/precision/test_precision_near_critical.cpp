// SPDX-License-Identifier: MIT
//
// 1000 random solves near the critical mass, with every operator, on all sites and through the even ones, with every
// method, in each way to mix precisions: none ends unconverged without an error, and none takes more than twice the
// work of all-double without saying that it went on in higher precision.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/site/random.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/precision.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <optional>

namespace kov {
namespace {
namespace near_critical {

template <class Storage>
using F = SpinorField<Storage>;

/// Linear equations on fields in this precision: M x = b is judged, a solver for A is what `complete` takes.
template <class T>
struct Equations {
  Operator<F<T>> M, A;
  std::function<Solver<F<T>>(const Solver<F<T>>&)> complete;
};

/// Equations of one operator in double and single precision, and A in 16 bits.  subset: the sites of A; `of_b`: of M.
struct Problem {
  std::string name;
  Subset subset;
  Equations<double> high;
  Equations<float> low;
  Operator<F<Fixed16>> lowest;
  Subset of_b = Subset::all;
};

template <class T>
Solver<F<T>> as_it_is(const Solver<F<T>>& solver) {
  return solver;
}

/// A^+ A
template <class Field>
Operator<Field> squared(const Operator<Field>& A) {
  return [A](const Field& in, const Field& out) {
    const Field between = in.like("A in");
    A.apply(in, between);
    A.apply_adjoint(between, out);
  };
}
template <class T>
Equations<T> squared(const Equations<T>& of) {
  return {squared(of.A), squared(of.A), as_it_is<T>};
}

template <class T, class M>
Equations<T> through_even_sites(const M& op, SchurForm form) {
  return {op, SchurComplement(op, 1, form), [=](const Solver<F<T>>& solver) { return EvenOdd(op, solver, form); }};
}

/// form: of the Schur complement; none: all sites.
template <class High, class Low>
Problem problem(const std::string& name, const High& high, const Low& low, const std::optional<SchurForm>& form) {
  if (!form) return {name, Subset::all, {high, high, as_it_is<double>}, {low, low, as_it_is<float>}, low};
  using Term = std::decay_t<decltype(low.site_term())>;
  return {(*form == SchurForm::symmetric ? "symmetric even-odd " : "even-odd ") + name, Subset::even,
          through_even_sites<double>(high, *form), through_even_sites<float>(low, *form),
          SchurComplement<float, Term, F<Fixed16>>(low, 1, *form)};
}

/// The smallest masses, at which the lowest modes of these links slow solvers down most.
constexpr double wilson_mass = -0.85, clover_mass = -0.5;

Problem draw_problem(SiteRandom& random, const GaugeField<double>& gauge) {
  const auto angles = BoundaryAngles::antiperiodic_in_time();
  const std::optional<SchurForm> forms[] = {{}, SchurForm::asymmetric, SchurForm::symmetric};
  const auto& form = forms[int(3 * random.uniform())];
  const int kind = int(3 * random.uniform());
  const double above = 0.3 * random.uniform();
  if (kind == 0) {
    const CloverParameters action{.mass = clover_mass + above, .c_sw = 1};
    return problem("clover, mass " + std::to_string(action.mass), WilsonCloverOperator<double>(gauge, angles, action),
                   WilsonCloverOperator<float>(gauge, angles, action), form);
  }
  const GaugeLinks<double> links(gauge, angles);
  const GaugeLinks<float> low_links(gauge, angles);
  const double mass = wilson_mass + above, mu = 0.01 + 0.1 * random.uniform();
  if (kind == 1)
    return problem("twisted mass " + std::to_string(mu) + ", mass " + std::to_string(mass),
                   TwistedMassOperator<double>(links, {mass, mu}), TwistedMassOperator<float>(low_links, {mass, mu}),
                   form);
  return problem("Wilson, mass " + std::to_string(mass), WilsonOperator<double>(links, mass),
                 WilsonOperator<float>(low_links, mass), form);
}

/// Solves in double and in mixed precision, and compares them.
class Solves {
 public:
  explicit Solves(const Lattice& lattice) : lattice_(lattice) {}

  void draw(std::uint64_t i) {
    SiteRandom random(11, 0, i);
    const auto gauge = reference::gauge_field<double>(lattice_, reference::near_unit_links(lattice_.extent(), i));
    seed_ = i;
    Problem p = draw_problem(random, gauge);
    const int method = int(4 * random.uniform()), mode = int(5 * random.uniform());
    const double tolerance = mode == 4 ? 1e-5 : 1e-10;
    if (method == 0 && mode > 0 && p.subset == Subset::even) {  // judged by the residual of M
      reliable(p, mode, NormalConjugateGradient{.tolerance = tolerance});
    } else if (method == 0 && mode > 0) {  // normal equations as a system of its own
      p = {"normal equations of " + p.name, p.subset, squared(p.high), squared(p.low), squared(p.lowest), p.subset};
      reliable(p, mode, ConjugateGradient{.tolerance = tolerance});
    } else if (method == 0) {
      corrected(p, NormalConjugateGradient{.tolerance = 1e-10});
    } else if (method == 1 && mode > 0) {
      reliable(p, mode, BiCgStab{.tolerance = tolerance});
    } else if (method == 1) {
      corrected(p, BiCgStab{.tolerance = 1e-10});
    } else if (method == 2) {
      corrected(p, BiCgStabL{.tolerance = 1e-10, .l = 2});
    } else {
      corrected(p, Gcr{.tolerance = 1e-10});
    }
  }

  int solved = 0, switched = 0;
  std::map<std::string, int> of_solver;

 private:
  template <class S>
  void corrected(const Problem& p, const S& solver) {
    compare(p, p.high.complete(solver), p.high, p.high.complete(MixedPrecision<>(p.low.A, solver)));
  }
  template <class S>
  void reliable(const Problem& p, int mode, const S& solver) {
    const auto in_double = p.high.complete(solver);
    if (mode == 1)
      compare(p, in_double, p.high, p.high.complete(ReliableUpdates<>(p.low.A, solver)));
    else if (mode == 2)
      compare(p, in_double, p.high, p.high.complete(ReliableUpdates<Fixed16>(p.lowest, solver)));
    else if (mode == 3)
      compare(p, in_double, p.high, p.high.complete(ReliableUpdates<double>(p.high.A, solver)));
    else
      compare(p, in_double, p.low, p.low.complete(ReliableUpdates<Fixed16, float>(p.lowest, solver)));
  }
  /// The report; none if an error says that the solve did not converge.
  template <class T>
  static std::optional<SolveReport> solve(const Solver<F<T>>& solver, const Operator<F<T>>& M, const F<T>& b,
                                          const F<T>& x) {
    zero(x);
    try {
      return solver(M, b, x);
    } catch (const ConvergenceError&) {
      return {};
    }
  }
  template <class T>
  void compare(const Problem& p, const Solver<F<double>>& of_double, const Equations<T>& equations,
               const Solver<F<T>>& mixed) {
    F<double> all(lattice_, "all");
    reference::load(all, reference::random_array(lattice_.extent(), 12, seed_));
    const F<double> b = p.of_b == Subset::all ? all : all.half(p.of_b), x = b.like("x"), r = b.like("r");
    const F<T> mixed_b(lattice_, "b", 1, p.of_b), mixed_x = mixed_b.like("x");
    convert(b, mixed_b);
    convert(mixed_b, b);
    const auto in_double = solve(of_double, p.high.M, b, x);
    const auto report = solve(mixed, equations.M, mixed_b, mixed_x);
    const std::string what = std::to_string(seed_) + ": " + p.name + ", " + mixed.name();
    EXPECT_TRUE(report || !in_double) << what << " fails where double does not";
    if (!report) return;
    ++solved;
    ++of_solver[mixed.name()];
    EXPECT_TRUE(report->converged) << what;
    convert(mixed_x, x);
    const double rounding = 40 * test::eps<T> * std::sqrt(norm2(x) / norm2(b));
    EXPECT_LE(std::sqrt(true_residual<F<double>>(p.high.M, b, x, r) / norm2(b)), mixed.tolerance + rounding) << what;
    if (report->precision_switches > 0)
      ++switched;
    else if (in_double)
      EXPECT_LE(report->flops, 2 * in_double->flops)
          << what << ": " << report->text() << " after " << in_double->text();
  }

  Lattice lattice_;
  std::uint64_t seed_ = 0;
};

TEST(NearCritical, AThousandRandomSolves) {
  Solves solves(Lattice(Comm::world(), {4, 4, 4, 4}));
  for (std::uint64_t i = 0; i < 1000; ++i) solves.draw(i);
  EXPECT_GT(solves.solved, 900) << "near the critical mass, not beyond it";
  EXPECT_LT(solves.switched, 50);
  EXPECT_EQ(solves.of_solver.size(), 18u);  // six on what is given, and through even sites in each form
  for (const auto& [name, n] : solves.of_solver) EXPECT_GE(n, 5) << name;
  RecordProperty("solved", solves.solved);
  RecordProperty("switched", solves.switched);
}

}  // namespace near_critical
}  // namespace
}  // namespace kov
