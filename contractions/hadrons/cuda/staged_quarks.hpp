// SPDX-License-Identifier: MIT
//
// Private to baryon_sums.cpp: propagators in the Dirac-Pauli basis in the scratch memory of a team of threads, for a
// few sites at a time.
#pragma once

#include "kov/contractions/hadrons/rotated_quarks.hpp"

#include <cstddef>

namespace kov::detail {

/// The matrices of RotatedQuarks at n_sites sites, [quark][sink spin][source spin][sink colour][source colour][site].
template <class T>
class StagedQuarks {
 public:
  /// Complex numbers of `numbers`.
  static constexpr int size(int n_quarks, int n_sites) { return 16 * 9 * n_quarks * n_sites; }

  /// numbers: aligned to 16 bytes; site: of the n_sites.
  KOKKOS_FORCEINLINE_FUNCTION StagedQuarks(Complex<T>* numbers, int n_sites, int site)
      : numbers_(reinterpret_cast<Number*>(numbers) + site), n_sites_(n_sites) {}

  /// 16 * quark + 4 * sink spin + source spin
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> operator()(int k) const {
    ColorMatrix<T> m;
    for (int i = 0; i < 9; ++i) {
      const Number z = numbers_[(9 * k + i) * n_sites_];
      m.z[i] = {z.re, z.im};
    }
    return m;
  }

  /// Writes part number `part` of the n_parts of a site, which are all that is there when threads have written each.
  /// U of dirac_pauli_rotation() has in two columns the sum and the difference of the same two rows, so that four
  /// numbers make four.
  template <class SiteIndex>
  KOKKOS_FORCEINLINE_FUNCTION void write(const RotatedQuarks<T>& quarks, SiteIndex x, int part, int n_parts) const {
    for (int i = part; i < 36 * quarks.n; i += n_parts) {
      const int colors = i % 9, a = colors / 3, b = colors % 3, row = i / 9 % 2, column = i / 18 % 2, q = i / 36;
      const auto& s = quarks.s[q];
      // [spin at the sink]: row or row + 2; z with the spin `column` at the source, w with column + 2
      Complex<T> sum[2], difference[2];
      for (int upper = 0; upper < 2; ++upper) {
        const Complex<T> z = s.element(x, 3 * column + b, 3 * (row + 2 * upper) + a),
                         w = s.element(x, 3 * (column + 2) + b, 3 * (row + 2 * upper) + a);
        sum[upper] = z + w;
        difference[upper] = w - z;
      }
      const T sign = row == column ? T(1) : T(-1);
      const auto set = [&](int sink, int source, const Complex<T>& z) {
        numbers_[(9 * (16 * q + 4 * sink + source) + colors) * n_sites_] = {sign * z.re, sign * z.im};
      };
      set(1 - row, 1 - column, sum[0] + sum[1]);
      set(3 - row, 1 - column, sum[1] - sum[0]);
      set(1 - row, 3 - column, difference[0] + difference[1]);
      set(3 - row, 3 - column, difference[1] - difference[0]);
    }
  }

 private:
  using Number = StoredComplex<T>;  // loaded at once
  Number* numbers_;
  int n_sites_;
};

}  // namespace kov::detail
