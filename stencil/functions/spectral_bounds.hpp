// SPDX-License-Identifier: MIT
//
// The ends of a Hermitian operator's spectrum, found by a short Lanczos run: the interval of a Chebyshev series.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/functions/operator.hpp"

#include <vector>

namespace kov {

/// low < high
struct Interval {
  double low = 0, high = 0;
};

/// Parameters of the Lanczos run.
struct LanczosBounds {
  /// Applications of the operator.  The inner error falls like 1 / steps^2 where eigenvalues are dense.
  int steps = 40;
  /// Seed of the start vector of normal deviates.
  std::uint64_t seed = 1;
};

/// An interval that holds the spectrum of A = A^+ on fields of the shape of `shape` (whose values are not used): the
/// extreme Ritz values of a Lanczos run from a random vector, each moved outwards by the norm of its residual (Zhou and
/// Li, Linear Algebra Appl. 435 (2011) 480, who find this to bound in practice) and by 10 epsilon(T) |A|, so that low <
/// high also where A has one eigenvalue; for A = 0 by 10 epsilon(T).  The same bits on any number of threads.
/// Collective.  Throws InputError for fewer than two steps, and when A is not Hermitian or not finite.
template <template <class> class SiteT, class T>
Interval spectral_bounds(const AnyOperator<Field<SiteT, T>>& A, const Field<SiteT, T>& shape,
                         const LanczosBounds& options = {});

namespace detail {

/// Eigenvalue number k (0: the lowest) of the symmetric tridiagonal matrix with these diagonals, off one shorter, by
/// bisection with Sturm sequences.
double tridiagonal_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& off, int k);

/// |last component| of the normalised eigenvector number k.
double tridiagonal_last_component(const std::vector<double>& diagonal, const std::vector<double>& off, int k);

}  // namespace detail

}  // namespace kov
