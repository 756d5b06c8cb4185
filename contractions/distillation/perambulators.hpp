// SPDX-License-Identifier: MIT
//
// Perambulators: quark propagators between eigenvectors of time slices, tau(t', t) = V^+(t') M^-1 V(t).
#pragma once

#include "kov/algebra/eigen/slice_matrices.hpp"
#include "kov/algebra/solver.hpp"
#include "kov/contractions/distillation/dilution.hpp"
#include "kov/contractions/distillation/vector_groups.hpp"
#include "kov/core/field/field.hpp"

#include <complex>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace kov {

/// What perambulators() needs to know, besides what it computes.
struct PerambulatorOptions {
  /// Right-hand sides of a solve: components of the fields that the solver is called with.
  int columns = 8;
  /// Called on every rank after each solve, with how many of how many sources are done.
  std::function<void(int done, int n, const SolveReport& report)> progress = {};
};

/// tau on this rank's time slices, and how the solves went.
struct Perambulators {
  /// Matrix of slice t': row spin' * N_v + n' (spin slow, eigenvector fast); a column for each source.
  SliceMatrices matrices;
  /// Iterations of all solves together, the largest residual of a source, and the seconds of the solves.
  std::int64_t iterations = 0;
  double worst_residual = 0, seconds = 0;
};

/// The part of source number `source` that is v_n on slice t with this spin: a source is the field
/// psi(x)_s = sum over n of coefficient(source, t(x), n, s) v_n(x).
using SourceCoefficient = std::function<std::complex<double>(int source, int t, int n, int spin)>;

/// tau(t', t)_{(spin' n') (spin n)} = v_n'(t')^+ [M^-1]_{spin' spin} v_n(t) for one source time t and all t'.  Column
/// spin * N_v + n; spins in the library's chiral basis.  No factors of kappa.  Peardon et al., Phys. Rev. D 80 (2009)
/// 054506, eq. (17).
///
/// Lanes: of the fields that the solver takes, SiteLanes or columns:
/// perambulators<ColumnLanes<8>>(vectors, EvenOdd<double, ColumnLanes<8>>(M, BiCgStab{}, form, 8), M, 0).  solver: any
/// for options.columns components of them; it throws or reports as it was told to, and then names columns as those of
/// tau.  The last solve may have sources that are 0.  Collective.  Throws InputError for a time outside of the lattice.
template <class Lanes = SiteLanes, class T>
Perambulators perambulators(const Field<ColorVector, T>& vectors,
                            const std::type_identity_t<Solver<SpinorField<T, Lanes>>>& solver,
                            const AnyOperator<SpinorField<T, Lanes>>& M, int time,
                            const PerambulatorOptions& options = {});

/// The same for n_sources sources of any form: V^+(t') M^-1 psi, a column for each.
template <class Lanes = SiteLanes, class T>
Perambulators perambulators(const Field<ColorVector, T>& vectors,
                            const std::type_identity_t<Solver<SpinorField<T, Lanes>>>& solver,
                            const AnyOperator<SpinorField<T, Lanes>>& M, int n_sources,
                            const SourceCoefficient& coefficient, const PerambulatorOptions& options = {});

/// Both for vectors of which a group is in memory: all are read for each solve, and groups that a source has once more.
template <class Lanes = SiteLanes, class T>
Perambulators perambulators(const VectorGroups<T>& vectors,
                            const std::type_identity_t<Solver<SpinorField<T, Lanes>>>& solver,
                            const AnyOperator<SpinorField<T, Lanes>>& M, int time,
                            const PerambulatorOptions& options = {});
template <class Lanes = SiteLanes, class T>
Perambulators perambulators(const VectorGroups<T>& vectors,
                            const std::type_identity_t<Solver<SpinorField<T, Lanes>>>& solver,
                            const AnyOperator<SpinorField<T, Lanes>>& M, int n_sources,
                            const SourceCoefficient& coefficient, const PerambulatorOptions& options = {});

/// The same for the sources of diluted noise; tau times rho^+ of the source, averaged over noise, is the perambulator.
template <class Lanes = SiteLanes, class T>
Perambulators perambulators(const Field<ColorVector, T>& vectors,
                            const std::type_identity_t<Solver<SpinorField<T, Lanes>>>& solver,
                            const AnyOperator<SpinorField<T, Lanes>>& M, const DilutedNoise& noise,
                            const PerambulatorOptions& options = {}) {
  return perambulators<Lanes>(
      vectors, solver, M, noise.size(),
      SourceCoefficient([&](int source, int t, int n, int spin) { return noise.coefficient(source, t, n, spin); }),
      options);
}

}  // namespace kov
