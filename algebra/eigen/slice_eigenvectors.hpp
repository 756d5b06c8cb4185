// SPDX-License-Identifier: MIT
//
// The lowest eigenvectors of a Hermitian operator that acts within time slices, of all slices at once: thick-restart
// block Lanczos with a filter.
#pragma once

#include "kov/algebra/eigen/slice_columns.hpp"
#include "kov/stencil/functions/operator.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace kov {

/// What is called after each restart, on every rank.
struct SliceEigenProgress {
  /// 1 after the first.
  int restart = 0;
  /// Time slices whose wanted vectors have converged, of all slices.
  int finished_slices = 0, n_slices = 0;
  /// The largest estimated residual of a wanted vector.
  double residual = 0;
};

/// Parameters of lowest_eigenvectors_by_slice().
struct SliceEigenParameters {
  /// Eigenvectors wanted of each slice.
  int n = 16;
  /// Vectors that the filter is applied to at a time.
  int block = 8;
  /// Vectors of the basis on each slice, besides the block that comes next: what memory is needed for.  0: n, the
  /// guards and half as many for each cycle.
  int basis = 0;
  /// |A v - lambda v| of every vector that is returned, and |v_i^+ v_j - delta_ij|.  0: 1e-10 in double, 1e-4 in single
  /// precision.
  double tolerance = 0;
  /// Cycles that fill the basis.
  int max_restarts = 60;
  /// An upper bound of |A|, by which the estimate of residuals is scaled.
  double norm = 12;
  /// Seed of the random start vectors.
  std::uint64_t seed = 1;
  std::function<void(const SliceEigenProgress&)> progress = {};
};

/// How a search went.
struct SliceEigenReport {
  /// Times that the basis was filled.
  int restarts = 0;
  /// Vectors that the filter was applied to.
  int filtered = 0;
  /// The largest |A v - lambda v| and |v_i^+ v_j - delta_ij| of all slices, computed with A from the vectors returned.
  double residual = 0, orthogonality = 0;
  double seconds = 0;
};

/// The lowest eigenvectors of all time slices.
template <class T>
struct SliceEigenvectors {
  /// Component i on slice t is v_i(t), of norm 1 on each slice.  In lexicographic order of the sites of a slice (x
  /// fastest), colour within a site, the first number of a vector whose square is at least 10^-4 of the mean square is
  /// real and positive: almost always the first colour at the origin of the slice.
  Field<ColorVector, T> vectors;
  /// Eigenvalue i of global slice t at [t * n + i], rising in i; |A v - lambda v| likewise.  The same on every rank.
  std::vector<double> values, residuals;
  SliceEigenReport report;

  /// Eigenvectors of a slice.
  int n() const { return vectors.n_components(); }
  /// Eigenvalue i of global slice t.
  double value(int t, int i) const { return values[std::size_t(t) * std::size_t(n()) + std::size_t(i)]; }
};

/// The filter left eigenvalues inside of the interval that it damps, so that they cannot be found with it.
struct FilterError : ConvergenceError {
  explicit FilterError(const std::string& text, std::source_location where = std::source_location::current())
      : ConvergenceError(text, where) {}
};

/// The n lowest eigenvectors of A on every time slice of a lattice.
///
/// A = A^+ acts within slices.  filter: a function f(A) that falls with the eigenvalues of A as far as they are wanted,
/// from a value above 1, and has |f| <= 1 for all that are not, as a Chebyshev polynomial does; A itself is applied
/// only to check.
///
/// Each cycle fills the basis by a block Krylov space of f(A), all slices in the same sweeps, each vector
/// orthogonalised twice against all before it; then the Ritz vectors with the largest f on each slice, and some more,
/// remain (thick restart: Wu and Simon, SIAM J. Matrix Anal. Appl. 22 (2000) 602, here with blocks).  A slice whose
/// wanted vectors have converged is locked: its vectors are not changed again.  In the end the block is replaced by
/// random vectors; a cycle from those that finds nothing new shows that no member of a degenerate eigenvalue was
/// missed.  The vectors are then rotated to diagonalise A itself.
///
/// The same vectors, up to rounding, on any decomposition.  Collective.  Throws InputError when n is not from 1 to half
/// of the numbers of a slice or block and basis do not fit, FilterError where the n-th eigenvalue is not above 1 under
/// the filter, ConvergenceError when the tolerance is not reached; each with the numbers.
template <class T>
SliceEigenvectors<T> lowest_eigenvectors_by_slice(const Operator<Field<ColorVector, T>>& A,
                                                  const Operator<Field<ColorVector, T>>& filter, const Lattice& lattice,
                                                  const SliceEigenParameters& parameters);

/// Multiplies each vector on each slice by the phase that SliceEigenvectors::vectors asks for.  Collective; waits for
/// exec.
template <class T>
void fix_phases_by_slice(const Field<ColorVector, T>& vectors, const Exec& exec = {});

}  // namespace kov
