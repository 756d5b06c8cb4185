// SPDX-License-Identifier: MIT
#include "apps/quarks/quark_operator.hpp"

#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/block_conjugate_gradient.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/krylov/minimal_residual.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/deflation.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/algebra/preconditioning/schwarz.hpp"
#include "kov/algebra/preconditioning/transformed.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/contractions/hadrons/quark_loops.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/improved.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/quark_transformation.hpp"
#include "kov/stencil/gauge/temporal_gauge.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <vector>

namespace kov::app {

namespace {

template <class Method>
Method limited(Method method, const SolverChoice& choice) {
  method.tolerance = choice.tolerance;
  method.max_iterations = choice.max_iterations;
  return method;
}

/// The solver of solver.method.
template <class F>
Solver<F> plain_solver(const SolverChoice& choice) {
  if (choice.method == "cg") return limited(NormalConjugateGradient{}, choice);
  if (choice.method == "cgne") return limited(NormalErrorConjugateGradient{}, choice);
  if (choice.is_block()) return limited(NormalBlockConjugateGradient{}, choice);
  if (choice.method == "gcr") return limited(Gcr{}, choice);
  if (choice.method == "mr") return limited(MinimalResidual{}, choice);
  if (const int l = choice.polynomial_degree(); l > 1) return limited(BiCgStabL{.l = l}, choice);
  return limited(BiCgStab{}, choice);
}

/// The recursion of solver.method that has reliable updates.
ReliableUpdates<>::Recursion recursion(const SolverChoice& choice) {
  if (choice.method == "cg") return limited(NormalConjugateGradient{}, choice);
  return limited(BiCgStab{}, choice);
}

/// The solver in double that corrects defects in single precision; low: the operator there, of any lattice sites;
/// solver: for it, as long as single precision is of use.
Solver<SpinorField<double>> mixed_solver(const Operator<SpinorField<float>>& low,
                                         const Solver<SpinorField<float>>& solver, const SolverChoice& choice) {
  return MixedPrecision<>(low, solver, plain_solver<SpinorField<double>>(choice));
}

/// The reduced operator of M on fields of spinors in Storage.
template <class Storage, class Storage2, class Term, class HopT>
auto reduced(const DiracOperator<Storage2, Term, HopT>& M, int n, SchurForm form) {
  return SchurComplement<Storage2, Term, SpinorField<Storage>, HopT>(M, n, form);
}

/// A solver for the reduced operator of M, deflated if wanted; text: what that took and saves.
template <class T, class Storage, class Term, class HopT>
Solver<SpinorField<T>> deflated(const SolverChoice& choice, const DiracOperator<Storage, Term, HopT>& M,
                                const Solver<SpinorField<T>>& solver, std::string& text) {
  using F = SpinorField<T>;
  using R = real_of_storage_t<ColorMatrix, Storage>;
  if (choice.deflation == 0) return solver;
  const auto start = std::chrono::steady_clock::now();
  const LoopModes<R> modes =
      loop_modes<R>(reduced<R>(M, 1, SchurForm::asymmetric), M.lattice(),
                    {.n = choice.deflation, .tolerance = deflation_tolerance, .subset = Subset::even});
  std::vector<double> squares;
  for (const double lambda : modes.values) squares.push_back(lambda * lambda);
  const F vectors(M.lattice(), "eigenvectors", choice.deflation, Subset::even);
  convert(modes.vectors, vectors);
  char numbers[160];
  std::snprintf(numbers, sizeof(numbers),
                "%d eigenvectors of M^+ M on even sites in %.2f s, eigenvalues %.2e to %.2e: up to %.1f times fewer "
                "iterations",
                choice.deflation, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                squares.front(), squares.back(), std::sqrt(squares.back() / squares.front()));
  text = numbers;
  return Deflated<F>(vectors, squares, solver, EigenvectorsOf::normal_operator);
}

/// f(storage), a storage of links with solver.links numbers in Real; 18 of them are floats for Fixed16.
template <class Real, class Function>
auto with_storage(const SolverChoice& choice, const Function& f) {
  if (choice.links == 12) return f(Links12<Real>{});
  if (choice.links == 8) return f(Links8<Real>{});
  return f(real_of_storage_t<ColorMatrix, Real>{});
}

/// The solver that was chosen for M on even sites; make(storage): M on links in a storage; text: see deflated().
template <class T, class Dirac, class Make>
Solver<SpinorField<T>> even_odd_solver(const SolverChoice& choice, const Dirac& M, const Make& make, int n,
                                       std::string& text) {
  using F = SpinorField<T>;
  const SchurForm form = choice.preconditioner == "even-odd-symmetric" ? SchurForm::symmetric : SchurForm::asymmetric;
  constexpr bool hops_in_16_bits = std::is_same_v<std::decay_t<decltype(M.hop())>, Hop<typename Dirac::Storage>>;
  if constexpr (hops_in_16_bits)
    if (choice.is_in_16_bits())
      return with_storage<Fixed16>(choice, [&]<class Storage>(Storage storage) -> Solver<F> {
        const auto solver_for = [&](const auto& of_links) -> Solver<F> {
          const auto low = reduced<Fixed16>(of_links, n, form);
          const ReliableUpdates<Fixed16, T> solver(low, recursion(choice));
          return EvenOdd<T>(M, deflated<T>(choice, M, solver, text), form, n);
        };
        if constexpr (std::is_same_v<Storage, T>)
          return solver_for(M);
        else
          return solver_for(make(storage));
      });
  if constexpr (std::is_same_v<T, double>) {
    if (choice.precision != "double")
      return with_storage<float>(choice, [&](auto storage) -> Solver<F> {
        const auto links_in_single = make(storage);
        const auto low = reduced<float>(links_in_single, n, form);
        if (choice.precision == "reliable") {
          const ReliableUpdates<> solver(low, recursion(choice));
          return EvenOdd<T>(M, deflated<T>(choice, links_in_single, solver, text), form, n);
        }
        const auto solver = deflated<float>(choice, links_in_single, plain_solver<SpinorField<float>>(choice), text);
        return EvenOdd<T>(M, mixed_solver(low, solver, choice), form, n);
      });
  }
  return with_storage<T>(choice, [&]<class Storage>(Storage storage) -> Solver<F> {
    const auto solver_for = [&](const auto& of_links) -> Solver<F> {
      return EvenOdd<T>(of_links, deflated<T>(choice, of_links, plain_solver<F>(choice), text), form, n);
    };
    if constexpr (std::is_same_v<Storage, T>)
      return solver_for(M);
    else
      return solver_for(make(storage));
  });
}

/// As an operator.
template <class F>
struct Identity {
  void apply(const F& in, const F& out, const Exec& exec = {}) const { copy(in, out, exec); }
  void apply_adjoint(const F& in, const F& out, const Exec& exec = {}) const { copy(in, out, exec); }
};

/// The same on all sites.
template <class T, class Make>
Solver<SpinorField<T>> all_sites_solver(const SolverChoice& choice, const Make& make) {
  using F = SpinorField<T>;
  if constexpr (std::is_same_v<T, double>)
    if (choice.precision != "double")
      return with_storage<float>(choice, [&](auto storage) -> Solver<F> {
        const auto low = make(storage);
        if (choice.precision == "reliable") return ReliableUpdates<>(low, recursion(choice));
        return mixed_solver(low, plain_solver<SpinorField<float>>(choice), choice);
      });
  const auto solver = plain_solver<F>(choice);
  if (choice.links == 18) return solver;
  // Solves with the links as they are for what those in fewer reals leave over.
  return with_storage<T>(
      choice, [&](auto storage) -> Solver<F> { return Transformed<F>(Identity<F>{}, make(storage), solver); });
}

/// GCR with a Schwarz procedure in the precision of make(storage), which is M on these links.
template <class T, class Make>
Solver<SpinorField<T>> schwarz_solver(const SolverChoice& choice, const Make& make, const GaugeField<double>& gauge,
                                      const LegFactors& factors, int n) {
  const SchwarzParameters parameters{
      .block = choice.schwarz_block,
      .cycles = choice.schwarz_cycles,
      .steps = choice.schwarz_steps,
      .form = choice.schwarz_form == "additive" ? SchwarzForm::additive : SchwarzForm::multiplicative,
      .sites = BlockSites::even};
  Gcr gcr = limited(Gcr{}, choice);
  if (choice.precision == "double")
    gcr.preconditioner = Schwarz<T>(make(T{}), gauge, factors, parameters, n);
  else
    gcr.preconditioner = Schwarz<float>(make(float{}), gauge, factors, parameters, n);
  return gcr;
}

/// Links of a job, and what is known of them.
struct JobLinks {
  GaugeField<double> gauge;
  TimeLinks time_links = TimeLinks::any;

  LegFactors factors(LegFactors of) const {
    of.time_links = time_links;
    return of;
  }
};

/// make(storage, links): M on these links in a storage; factors: of the links.
template <class T, class Make>
QuarkOperator<T> with_solver(const GaugeField<double>& gauge, const LegFactors& factors, const SolverChoice& choice,
                             SpinBasis basis, const Make& make, int n) {
  using F = SpinorField<T>;
  const JobLinks given{gauge.alias()};
  const auto M = make(T{}, given);
  std::string deflation;
  const auto solver_of = [&](const auto& dirac, const JobLinks& links) {
    const auto make_in_basis = [&](auto storage) { return make(storage, links).with_basis(basis); };
    if (choice.is_schwarz()) return schwarz_solver<T>(choice, make_in_basis, links.gauge, factors, n);
    return choice.is_even_odd() ? even_odd_solver<T>(choice, dirac, make_in_basis, n, deflation)
                                : all_sites_solver<T>(choice, make_in_basis);
  };
  const auto solver = [&]() -> Solver<F> {
    if (choice.is_in_temporal_gauge()) {
      const TemporalGauge<double> temporal = in_temporal_gauge(gauge);
      const JobLinks links{temporal.links.alias(), TimeLinks::unit};
      const auto there = make(T{}, links).with_basis(basis);
      const QuarkTransformation<T> to_there(temporal.transformation, {}, basis);
      return Transformed<F>(to_there, there, solver_of(there, links));
    }
    const auto there = M.with_basis(basis);
    if (basis == SpinBasis::nonrelativistic)
      return Transformed<F>(QuarkTransformation<T>(gauge.lattice(), basis), there, solver_of(there, given));
    return solver_of(there, given);
  };
  const auto chosen = std::make_shared<const Solver<F>>(solver());
  return {std::make_shared<const Operator<F>>(M), chosen, deflation};
}

/// f(make) with make(storage, links), the operator of a quark on links of a job in a storage; not for improved actions.
template <class Function>
auto with_dirac(const QuarkAction& action, const Function& f) {
  const Anisotropy anisotropy{action.xi0, action.nu};
  const LegFactors factors = anisotropy.factors(action.boundary_angles());
  const auto links_in = [=]<class Storage>(Storage, const JobLinks& links) {
    return GaugeLinks<Storage>(links.gauge, links.factors(factors));
  };
  if (action.c_sw != 0)
    return f([&]<class Storage>(Storage storage, const JobLinks& links) {
      const CloverTerm<real_of_storage_t<ColorMatrix, Storage>> term(
          links.gauge, {.mass = action.mass, .c_sw = action.c_sw, .mu = action.mu, .anisotropy = anisotropy});
      return WilsonCloverOperator<Storage>(links_in(storage, links), term);
    });
  if (action.mu != 0)
    return f([&]<class Storage>(Storage storage, const JobLinks& links) {
      return TwistedMassOperator<Storage>(links_in(storage, links), {action.mass, action.mu, anisotropy});
    });
  return f([&]<class Storage>(Storage storage, const JobLinks& links) {
    return WilsonOperator<Storage>(links_in(storage, links), MassTerm{action.mass, anisotropy});
  });
}

/// The operator of an improved action in a real type.
template <class R>
ImprovedOperator<R> improved_operator(const GaugeField<double>& gauge, const QuarkAction& action) {
  const BoundaryAngles boundary = action.boundary_angles();
  return action.action == "naik" ? naik_operator<R>(gauge, action.mass, boundary)
                                 : hamber_wu_operator<R>(gauge, action.mass, boundary);
}

template <class T>
QuarkOperator<T> operator_with(const GaugeField<double>& gauge, const QuarkAction& action, const SolverChoice& choice,
                               int n_columns) {
  if (action.is_improved()) {
    const auto make = [&]<class Storage>(Storage) {
      using R = real_of_storage_t<ColorMatrix, Storage>;  // others are refused: QuarkSolver
      return improved_operator<R>(gauge, action);
    };
    using F = SpinorField<T>;
    const auto M = make(T{});
    if (const auto unsuited = choice.unsuited_key(action.action))
      throw InputError(
          sentence("a solver was asked for quarks of the action", action.action_name() + ",", unsuited->text()));
    std::string deflation;
    const Solver<F> solver = choice.is_even_odd() ? even_odd_solver<T>(choice, M, make, n_columns, deflation)
                                                  : all_sites_solver<T>(choice, make);
    return {std::make_shared<const Operator<F>>(M), std::make_shared<const Solver<F>>(solver), deflation};
  }
  const LegFactors factors = Anisotropy{action.xi0, action.nu}.factors(action.boundary_angles());
  const SpinBasis basis = choice.is_nonrelativistic(action) ? SpinBasis::nonrelativistic : SpinBasis::chiral;
  return with_dirac(action,
                    [&](const auto& make) { return with_solver<T>(gauge, factors, choice, basis, make, n_columns); });
}

/// For one column of spinors in double.
Operator<SpinorField<double>> operator_in_double(const GaugeField<double>& gauge, const QuarkAction& action) {
  if (action.is_improved()) return improved_operator<double>(gauge, action);
  return with_dirac(action, [&](const auto& make) -> Operator<SpinorField<double>> {
    return make(double{}, JobLinks{gauge.alias()});
  });
}

/// A solver in single precision after whose solves |b_k - M x_k| / |b_k| is computed once more, with an operator in
/// double on the links as they are: these numbers are the residual and column_residuals of the report, and of the
/// message where the solve fails.  When a solve ends and whether it converged stays what the solver says in its own
/// precision, as does its stopping_residual.
class TrueResiduals {
 public:
  using F = SpinorField<float>;

  double tolerance;
  int max_iterations;
  OnFailure on_failure;
  ProgressCallback progress;

  TrueResiduals(const Operator<SpinorField<double>>& M, const Solver<F>& solver)
      : tolerance(solver.tolerance),
        max_iterations(solver.max_iterations),
        on_failure(solver.on_failure),
        progress(solver.progress),
        M_(M),
        solver_(solver) {}

  std::string name() const { return solver_.name(); }

  SolveReport operator()(const Operator<F>& A, const F& b, const F& x) const {
    Solver<F> reporting = solver_.with_settings_of(*this);
    reporting.on_failure = OnFailure::report;
    SolveReport report = reporting(A, b, x);
    report.column_residuals = residuals(b, x);
    report.residual = 0;
    for (const double r : report.column_residuals) report.residual = max_or_nan(report.residual, r);
    if (!report.converged && on_failure == OnFailure::raise) throw ConvergenceError(report.failure());
    return report;
  }

 private:
  /// One column after the other, as all in double would take twice the memory of source and solution.
  std::vector<double> residuals(const F& b, const F& x) const {
    const SpinorField<double> source(b.lattice(), "source", 1, b.subset()), solution = source.like("solution"),
                                                                            r = source.like("residual");
    std::vector<double> found;
    for (int k = 0; k < b.n_components(); ++k) {
      copy_components(b, k, source, 0, 1);
      copy_components(x, k, solution, 0, 1);
      const double bb = norm2(source), rr = true_residual(M_, source, solution, r);
      const double of_zeros = rr == 0 ? 0 : std::numeric_limits<double>::infinity();
      found.push_back(bb == 0 ? of_zeros : std::sqrt(rr / bb));
    }
    return found;
  }

  Operator<SpinorField<double>> M_;
  Solver<F> solver_;
};

}  // namespace

template <class T>
QuarkOperator<T> quark_operator(const GaugeField<double>& gauge, const QuarkAction& action, const SolverChoice& choice,
                                int n_columns) {
  QuarkOperator<T> quark = operator_with<T>(gauge, action, choice, n_columns);
  if constexpr (std::is_same_v<T, float>)
    quark.solver =
        std::make_shared<const Solver<SpinorField<T>>>(TrueResiduals(operator_in_double(gauge, action), *quark.solver));
  return quark;
}

template QuarkOperator<float> quark_operator(const GaugeField<double>&, const QuarkAction&, const SolverChoice&, int);
template QuarkOperator<double> quark_operator(const GaugeField<double>&, const QuarkAction&, const SolverChoice&, int);

}  // namespace kov::app
