// SPDX-License-Identifier: MIT
//
// Private to baryon_sums.cpp: propagators in the Dirac-Pauli basis in the scratch memory of a team of threads, for a
// few sites at a time.
#pragma once

#include "kov/contractions/hadrons/rotated_quarks.hpp"
#include "kov/contractions/kernels/cuda/tile_threads.hpp"

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
      set(q, row, column, colors, sum, difference);
    }
  }
  /// Part number `part` of 4 for each quark: nine colours, which are all loaded before the first is written.
  KOKKOS_FORCEINLINE_FUNCTION void write_colors(const RotatedQuarks<T>& quarks, LaneSite x, int part) const {
    const int row = part & 1, column = part >> 1 & 1, q = part >> 2;
    const auto& s = quarks.s[q];
    Complex<T> z[36];
    repeat<36>([&](int i) {
      const int a = i % 3, upper = i / 3 % 2, lower = i / 6 % 2, b = i / 12;
      z[i] = s.element(x, 3 * (column + 2 * lower) + b, 3 * (row + 2 * upper) + a);
    });
    repeat<9>([&](int colors) {
      const int i = 12 * (colors % 3) + colors / 3;
      const Complex<T> sum[2] = {z[i] + z[i + 6], z[i + 3] + z[i + 9]};
      const Complex<T> difference[2] = {z[i + 6] - z[i], z[i + 9] - z[i + 3]};
      set(q, row, column, colors, sum, difference);
    });
  }

 private:
  using Number = StoredComplex<T>;  // loaded at once

  /// Of two sums and two differences of source spins, upper and lower sink spin, those of the sink's.
  KOKKOS_FORCEINLINE_FUNCTION void set(int q, int row, int column, int colors, const Complex<T> (&sum)[2],
                                       const Complex<T> (&difference)[2]) const {
    const T sign = row == column ? T(1) : T(-1);
    const auto put = [&](int sink, int source, const Complex<T>& z) {
      numbers_[(9 * (16 * q + 4 * sink + source) + colors) * n_sites_] = {sign * z.re, sign * z.im};
    };
    put(1 - row, 1 - column, sum[0] + sum[1]);
    put(3 - row, 1 - column, sum[1] - sum[0]);
    put(1 - row, 3 - column, difference[0] + difference[1]);
    put(3 - row, 3 - column, difference[1] - difference[0]);
  }

  Number* numbers_;
  int n_sites_;
};

}  // namespace kov::detail
