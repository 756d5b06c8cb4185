// SPDX-License-Identifier: MIT
//
// SpinBasis: the two bases of spin that Dirac operators work in, and the way from one to the other.
#pragma once

#include "kov/core/site/color_spin.hpp"

namespace kov {

/// A field psi of one basis is S psi in the other, S = [[1, 1], [1, -1]] / sqrt(2) in blocks of two spins, which is its
/// own adjoint and inverse; a matrix A is S A S.
enum class SpinBasis {
  /// DeGrand and Rossi's, gamma_5 = diag(1, 1, -1, -1): that of all fields of the library and in files.
  chiral,
  /// gamma_4 = diag(1, 1, -1, -1), so that 1 +- gamma_4 leave two spins and the hop along t loads no others; gamma_5
  /// exchanges the upper two spins with the lower two, gamma_1 to gamma_3 are those of the chiral basis times -1.  For
  /// operators inside solvers.
  nonrelativistic
};

/// sqrt(2) S psi: the sums of the upper and lower spins, and their differences.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Spinor<R> spin_sums(const Spinor<R>& psi) {
  Spinor<R> r;
  unroll<6>([&](int i) __attribute__((always_inline)) {
    r.z[i] = psi.z[i] + psi.z[6 + i];
    r.z[6 + i] = psi.z[i] - psi.z[6 + i];
  });
  return r;
}

}  // namespace kov
