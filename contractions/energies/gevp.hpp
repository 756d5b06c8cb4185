// SPDX-License-Identifier: MIT
//
// Energies from matrices of correlators: the generalised eigenvalue problem C(t) v = lambda C(t0) v.  Times are in
// lattice units, energies a E in units of the inverse lattice spacing in time.
#pragma once

#include "kov/contractions/energies/resampling.hpp"

#include <complex>
#include <string>
#include <vector>

namespace kov {

/// C_ij(t) = <O_i(t) O_j^+(0)> with its replicas: Hermitian, and positive where only forward-running states count.
class CorrelatorMatrix {
 public:
  /// values: numbers [t][i][j][re, im] for t = 0, 1, ...  Throws InputError unless there are n_operators^2 complex
  /// numbers at every time.
  CorrelatorMatrix(int n_operators, Resampled values);
  /// From samples of real correlators element[i][j] = [sample][t].
  template <Resampling R>
  CorrelatorMatrix(const R& resampling, const std::vector<std::vector<Samples>>& element)
      : CorrelatorMatrix(int(element.size()), resampling(rows_of(element))) {}

  int n_operators() const { return n_; }
  int n_times() const { return int(values_.width()) / (2 * n_ * n_); }
  const Resampled& values() const { return values_; }
  /// Row 0: of the mean; row k + 1: of replica k.
  std::complex<double> at(std::size_t row, int t, int i, int j) const;

 private:
  static Samples rows_of(const std::vector<std::vector<Samples>>& element);

  int n_;
  Resampled values_;
};

/// Which t0 belongs to t.
enum class GevpReference {
  /// The same for all times.
  fixed,
  /// t0 = t - 1.
  previous,
  /// t0 = t / 2, rounded up (0 for t = 1): with N operators, corrections to E_n are then O(exp(-(E_{N+1} - E_n) t))
  /// (Blossier et al., arXiv:0902.1265).
  half
};

/// What makes a state at one time that of another.
enum class GevpTracking {
  /// The order of its eigenvalue, the largest first.
  sorted,
  /// The overlap of its vector with those at one reference time.
  fixed,
  /// The overlap with those at the time before (or after, for times before t0).
  running
};

/// The reference times of a generalised eigenvalue problem, and how its states are followed in time.
struct GevpOptions {
  /// How t0 belongs to t.
  GevpReference reference = GevpReference::fixed;
  /// The reference time, if `reference` is fixed.
  int t0 = 1;
  GevpTracking tracking = GevpTracking::running;
  /// Where tracking begins, and the vectors of fixed tracking are taken; negative: at the first time beyond its t0.
  int t_vectors = -1;
};

/// States n = 0, 1, ..., as many as operators: the ground state first.
struct Gevp {
  /// The number of operators.
  int n_states;
  /// t0 of each t; -1 where there is none (t = 0 of a running reference).
  std::vector<int> t0;
  /// Number t n_states + n: lambda_n(t, t0(t)); NaN where C(t0) is not positive.
  Resampled eigenvalues;
  /// Number t n_states + n: log(lambda_n(t, t0) / lambda_n(t + 1, t0)) with t0 = t0(t + 1), which is an effective mass
  /// between t and t + 1; for the last t NaN.
  Resampled energies;
  /// vectors[t][n][i] of the means, v^+ C(t0) v = 1, the largest component positive; empty lists where there are none.
  std::vector<std::vector<std::vector<std::complex<double>>>> vectors;
  /// The smallest |v_n^+ C(t0) w_n| with the vectors w_n that the states of t are tracked by, normalised: near 1,
  /// states are well told apart; NaN where nothing was tracked.
  std::vector<double> overlap;
};

/// Solves the GEVP at every time for the means and every replica (Luescher and Wolff, Nucl. Phys. B 339 (1990) 222).
/// The Hermitian part of C is taken.  States keep their identity between times as `tracking` says, and in replicas
/// that of the means at the same time, by the assignment with the largest sum of squared overlaps.  Throws InputError
/// for fewer than two times and for reference times outside of the matrix.
Gevp gevp(const CorrelatorMatrix& matrix, const GevpOptions& options = {});

/// What a correlator matrix must be, and what its eigenvalues must do, as far as the means go.
struct GevpChecks {
  /// [t]: largest |C_ij - C_ji^*| in units of its error; NaN without errors.
  std::vector<double> asymmetry;
  /// [t]: the smallest eigenvalue of C_ij / sqrt(C_ii C_jj); NaN where the diagonal is not positive.
  std::vector<Estimate> smallest_eigenvalue;
  /// Times with a smallest eigenvalue that is negative or none.
  std::vector<int> not_positive;
  /// Times beyond t0 at which an eigenvalue of the GEVP is not positive.
  std::vector<int> negative_eigenvalue;
  /// Times beyond t0 at which tracked states do not have eigenvalues in falling order: levels cross there, or states
  /// cannot be told apart.
  std::vector<int> crossed;
  /// Reference times, among those of the solution, at which C(t0) of the means is singular up to rounding, or has a
  /// negative eigenvalue or none: times that take them have no eigenvalues.
  std::vector<int> singular_t0, not_positive_t0;
  /// Reference times at which C(t0) of the means is positive and that of a replica is not: there are no errors.
  std::vector<int> not_positive_t0_of_replicas;
  /// The largest violation over all times of two theorems for Hermitian C(t) and positive C(t0) (Cauchy): C_ii(t) /
  /// C_ii(t0) lies between the smallest and largest eigenvalue of the solution for every i, and the eigenvalues without
  /// one operator lie between those with it; in units of the largest eigenvalue.  Above rounding something is wrong
  /// with the solution.  Times whose eigenvalues are NaN are among negative_eigenvalue instead.
  double interlacing_violation;

  /// Whether all eigenvalues are positive, states keep their order, and the theorems hold up to rounding.
  bool positive() const { return negative_eigenvalue.empty(); }
  bool ordered() const { return crossed.empty(); }
  bool interlacing() const { return interlacing_violation < 1e-9; }
  /// A line each, and one for each kind of C(t0) that is not positive: why numbers are missing, and what to do.
  std::string text() const;
};
/// Checks the solution that gevp() found for this matrix.
GevpChecks check_gevp(const CorrelatorMatrix& matrix, const Gevp& solution);

}  // namespace kov
