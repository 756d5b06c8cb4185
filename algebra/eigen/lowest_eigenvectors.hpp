// SPDX-License-Identifier: MIT
//
// The eigenvectors of a Hermitian operator on spinors whose eigenvalues are nearest to zero: thick-restart Lanczos on a
// Chebyshev polynomial of its square.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/functions/operator.hpp"

#include <cstdint>
#include <vector>

namespace kov {

/// What lowest_eigenvectors() looks for, and with how much work at most.
struct EigenParameters {
  /// Eigenvectors wanted.
  int n = 16;
  /// Vectors of the basis.  0: as eigen_memory() says, which also has the memory.
  int basis = 0;
  /// The largest |H v - lambda v| of a vector, relative to an upper bound of |H|.
  double tolerance = 1e-6;
  int max_restarts = 100;
  /// Seed of the random start vector.
  std::uint64_t seed = 1;
  /// The sites of the fields that H is applied to: of one parity for Schur complements.
  Subset subset = Subset::all;
};

/// What lowest_eigenvectors() finds.
template <class T>
struct HermitianEigenvectors {
  /// Component i is v_i, orthonormal.
  SpinorField<T> vectors;
  /// Of H, |values[i]| rising; |H v_i - values[i] v_i|.
  std::vector<double> values, residuals;
  int restarts = 0;
  /// Of H.
  int applications = 0;
};

/// Eigenvectors of H = H^+ with the smallest |eigenvalue|, gamma_5 M for instance.
///
/// The polynomial is T_k of H^2, with k even and [cut, high] mapped to [-1, 1]: high from spectral_bounds(), cut a Ritz
/// value of a Lanczos run of H^2 itself.  The basis is filled by Lanczos with full orthogonalisation, twice; the Ritz
/// vectors with the largest values remain (Wu and Simon, SIAM J. Matrix Anal. Appl. 22 (2000) 602), and H is
/// diagonalised among them.  Of eigenvalues of H^2 that are equal to all digits one vector only is found: that of a
/// pair lambda, -lambda, as free quarks have, is no eigenvector of H and never meets the tolerance.  The same bits on
/// any number of threads.  Collective.  Throws InputError when n is below 1 or the basis does not fit, ConvergenceError
/// when the tolerance is not reached.
template <class T>
HermitianEigenvectors<T> lowest_eigenvectors(const AnyOperator<SpinorField<T>>& H, const Lattice& lattice,
                                             const EigenParameters& parameters = {});

/// What lowest_eigenvectors() needs for these parameters.
struct EigenMemory {
  /// Vectors of the basis, and those of them that a restart keeps.
  std::int64_t basis, kept;
  /// Spinor fields that are alive at once, those of the result among them.
  std::int64_t fields;

  /// Whether the basis fits on fields of this many sites.
  bool fits(std::int64_t n_sites) const { return basis > kept && basis < 6 * n_sites; }
};
/// The memory of lowest_eigenvectors() with these parameters.
EigenMemory eigen_memory(const EigenParameters& parameters);

}  // namespace kov
