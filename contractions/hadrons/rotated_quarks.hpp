// SPDX-License-Identifier: MIT
//
// Propagators at a site in the Dirac-Pauli basis, for the kernels of baryons.
#pragma once

#include "kov/contractions/hadrons/baryon_sums.hpp"
#include "kov/core/site/spin_color_matrix.hpp"

namespace kov::detail {

/// The propagators' colour matrices in the Dirac-Pauli basis: 2 U^+ S U, U of dirac_pauli_rotation(), so that all
/// factors are 1 or -1.  Hosts rotate a site once, 600 flops for each quark; a thread of a GPU, which has no room for
/// that, where it uses a matrix, or several do it together, see StagedQuarks.
template <class T>
struct RotatedQuarks {
  using View = FieldView<Spinor, T>;
  View s[most_baryon_quarks];
  int n;

  /// sqrt(2) U has the rows row(k, 0) and row(k, 1) in column k, with these signs.
  static KOKKOS_FORCEINLINE_FUNCTION int row(int k, int i) { return 1 - (k & 1) + 2 * i; }
  static KOKKOS_FORCEINLINE_FUNCTION int sign(int k, int i) {
    return k == 0 || (k == 3 && i == 0) || (k == 2 && i == 1) ? -1 : 1;
  }

#if !defined(KOKKOS_ENABLE_CUDA)
  /// Of a site: all matrices, rotated.
  template <class R>
  struct Site {
    ColorMatrix<R> block[most_baryon_quarks * 16];
    const ColorMatrix<R>& operator()(int k) const { return block[k]; }
  };
  template <class SiteIndex>
  auto at(SiteIndex x) const {
    using R = decltype(s[0].element(x, 0, 0).re);
    Site<R> site;
    for (int q = 0; q < n; ++q)
      for (int b = 0; b < 3; ++b)
        for (int a = 0; a < 3; ++a) {
          Complex<R> half[16];  // at the source
          for (int r = 0; r < 2; ++r)
            for (int i = 0; i < 4; ++i) {
              const Complex<R> z = s[q].element(x, 3 * r + b, 3 * i + a), w = s[q].element(x, 3 * r + 6 + b, 3 * i + a);
              const int even = 1 - r;  // columns 0 and 2 of U have the rows 1 and 3, columns 1 and 3 the rows 0 and 2
              half[4 * i + (even ? 1 : 0)] = even ? z + w : -(z + w);
              half[4 * i + (even ? 3 : 2)] = even ? w - z : z - w;
            }
          for (int j = 0; j < 4; ++j) {
            const Complex<R>*h = half + j, plus02 = h[0] + h[8], plus13 = h[4] + h[12];
            site.block[16 * q + j](a, b) = -plus13;
            site.block[16 * q + 4 + j](a, b) = plus02;
            site.block[16 * q + 8 + j](a, b) = h[4] - h[12];
            site.block[16 * q + 12 + j](a, b) = h[8] - h[0];
          }
        }
    return site;
  }
#else
  /// Of a site: a matrix is loaded where it is used.
  struct Site {
    const RotatedQuarks* quarks;
    LaneSite x;
    KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> operator()(int k) const {
      const View& s = quarks->s[k >> 4];
      const int sink = k >> 2 & 3, source = k & 3;
      ColorMatrix<T> m = zero<ColorMatrix<T>>();
      // Four times the same nine loads: unrolled, they take most of the time to compile.
#pragma unroll 1
      for (int n = 0; n < 4; ++n) {
        const int i = n & 1, j = n >> 1;
        const T factor = T(sign(sink, i) * sign(source, j));
        for (int b = 0; b < 3; ++b)
          for (int a = 0; a < 3; ++a) {
            const Complex<T> z = s.element(x, 3 * row(source, j) + b, 3 * row(sink, i) + a);
            m(a, b).re += factor * z.re;
            m(a, b).im += factor * z.im;
          }
      }
      return m;
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION Site at(LaneSite x) const { return {this, x}; }
#endif
};

/// a m; coefficients are mostly real.
template <class T, class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> scaled(const Complex<T>& a, const ColorMatrix<R>& m) {
  ColorMatrix<R> r;
  for (int k = 0; k < 9; ++k) r.z[k] = {a.re * m.z[k].re, a.re * m.z[k].im};
  if (a.im != T(0))
    for (int k = 0; k < 9; ++k) {
      r.z[k].re -= a.im * m.z[k].im;
      r.z[k].im += a.im * m.z[k].re;
    }
  return r;
}

}  // namespace kov::detail
