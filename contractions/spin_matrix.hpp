// SPDX-License-Identifier: MIT
//
// 4 x 4 spin matrices on the host: what contractions put between propagators.
#pragma once

#include "kov/core/gamma.hpp"

namespace kov {

/// The matrix with entry i^phase[row] at (row, column[row]).
inline SpinMatrix<double> spin_matrix(const Gamma& gamma) {
  SpinMatrix<double> m = zero<SpinMatrix<double>>();
  for (int row = 0; row < 4; ++row)
    m(row, gamma.column[std::size_t(row)]) = times_i_power(gamma.phase[std::size_t(row)], Complex<double>{1, 0});
  return m;
}

inline SpinMatrix<double> operator*(const SpinMatrix<double>& a, const SpinMatrix<double>& b) {
  SpinMatrix<double> m = zero<SpinMatrix<double>>();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) multiply_add(m(i, j), a(i, k), b(k, j));
  return m;
}

inline bool operator==(const SpinMatrix<double>& a, const SpinMatrix<double>& b) {
  for (int i = 0; i < 16; ++i)
    if (a.z[i].re != b.z[i].re || a.z[i].im != b.z[i].im) return false;
  return true;
}

}  // namespace kov
