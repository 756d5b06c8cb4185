// SPDX-License-Identifier: MIT
//
// HermitianBlocks: a Hermitian matrix in spin and colour that does not mix the two chiralities, as the clover term is,
// with products, inverses and determinants.
#pragma once

#include "kov/core/site/color_spin.hpp"

namespace kov {

/// Two Hermitian 6 x 6 matrices: block 0 of spins 0 and 1, block 1 of spins 2 and 3, rows and columns 3 * (spin of the
/// block) + colour.  Packed into 36 real numbers each: 3 complex numbers hold the diagonal, two entries each, and 15
/// the triangle below it by rows.
template <class R>
struct HermitianBlocks {
  using Real = R;
  static constexpr int n_complex = 36, n_rows = 6, block_size = 18;
  Complex<R> z[36];

  /// The place of entry (i, j), i > j, among the 15 below the diagonal.
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int below(int i, int j) { return i * (i - 1) / 2 + j; }

  /// Entry (i, i) of a block, a real number.
  KOKKOS_FORCEINLINE_FUNCTION const R& diagonal(int block, int i) const {
    return i % 2 == 0 ? z[block_size * block + i / 2].re : z[block_size * block + i / 2].im;
  }
  KOKKOS_FORCEINLINE_FUNCTION R& diagonal(int block, int i) {
    return i % 2 == 0 ? z[block_size * block + i / 2].re : z[block_size * block + i / 2].im;
  }
  /// i > j
  KOKKOS_FORCEINLINE_FUNCTION const Complex<R>& lower(int block, int i, int j) const {
    return z[block_size * block + 3 + below(i, j)];
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<R>& lower(int block, int i, int j) {
    return z[block_size * block + 3 + below(i, j)];
  }
  /// Any entry.
  KOKKOS_FORCEINLINE_FUNCTION Complex<R> operator()(int block, int i, int j) const {
    return i == j ? Complex<R>{diagonal(block, i), R(0)} : i > j ? lower(block, i, j) : conj(lower(block, j, i));
  }
};

/// out = (block of a) psi; psi and out: the 6 complex numbers of the block's two spins.  a(k): complex number k of the
/// packed matrix, read once each.  252 flops.
template <int block, class Elements, class R>
KOKKOS_FORCEINLINE_FUNCTION void multiply_block(const Elements& a, const Complex<R>* psi, Complex<R>* out) {
  constexpr int first = HermitianBlocks<R>::block_size * block;
  unroll<3>([&](int k) __attribute__((always_inline)) {
    const auto d = a(first + k);
    out[2 * k] = d.re * psi[2 * k];
    out[2 * k + 1] = d.im * psi[2 * k + 1];
  });
  unroll<15>([&](int k) __attribute__((always_inline)) {
    const int i = k < 1 ? 1 : k < 3 ? 2 : k < 6 ? 3 : k < 10 ? 4 : 5, j = k - i * (i - 1) / 2;
    const auto w = a(first + 3 + k);
    multiply_add(out[i], w, psi[j]);
    conj_multiply_add(out[j], w, psi[i]);
  });
}

/// a psi
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Spinor<R> operator*(const HermitianBlocks<R>& a, const Spinor<R>& psi) {
  const auto element = [&](int k) __attribute__((always_inline)) { return a.z[k]; };
  Spinor<R> r;
  multiply_block<0>(element, psi.z, r.z);
  multiply_block<1>(element, psi.z + 6, r.z + 6);
  return r;
}

/// a = L D L^+ for one block, L with ones on its diagonal.  Without pivoting: as accurate as the block is definite.
template <class R>
struct BlockFactors {
  /// Below the diagonal of L, by rows.
  Complex<R> l[15];
  /// The diagonal of D.
  R d[6];

  KOKKOS_FORCEINLINE_FUNCTION BlockFactors(const HermitianBlocks<R>& a, int block) {
    for (int j = 0; j < 6; ++j) {
      d[j] = a.diagonal(block, j);
      for (int k = 0; k < j; ++k) d[j] -= norm2(l[place(j, k)]) * d[k];
      const R one_over_d = R(1) / d[j];
      for (int i = j + 1; i < 6; ++i) {
        Complex<R> sum = a.lower(block, i, j);
        for (int k = 0; k < j; ++k) sum -= (d[k] * l[place(i, k)]) * conj(l[place(j, k)]);
        l[place(i, j)] = one_over_d * sum;
      }
    }
  }

  /// Writes the inverse to a block of r.
  KOKKOS_FORCEINLINE_FUNCTION void invert(HermitianBlocks<R>& r, int block) const {
    Complex<R> m[15];  // L^-1, below its diagonal of ones
    R e[6];
    for (int i = 0; i < 6; ++i) {
      e[i] = R(1) / d[i];
      for (int j = 0; j < i; ++j) {
        Complex<R> sum = -l[place(i, j)];
        for (int k = j + 1; k < i; ++k) sum -= l[place(i, k)] * m[place(k, j)];
        m[place(i, j)] = sum;
      }
    }
    for (int i = 0; i < 6; ++i)  // sum over k of conj(m(k, i)) m(k, j) / d(k)
      for (int j = 0; j <= i; ++j) {
        Complex<R> sum = i == j ? Complex<R>{e[i], R(0)} : e[i] * m[place(i, j)];
        for (int k = i + 1; k < 6; ++k) conj_multiply_add(sum, m[place(k, i)], e[k] * m[place(k, j)]);
        if (i == j)
          r.diagonal(block, i) = sum.re;
        else
          r.lower(block, i, j) = sum;
      }
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int place(int i, int j) { return HermitianBlocks<R>::below(i, j); }
};

/// a^-1; numbers that are not finite for a singular block.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION HermitianBlocks<R> inverse(const HermitianBlocks<R>& a) {
  HermitianBlocks<R> r;
  for (int block = 0; block < 2; ++block) BlockFactors<R>(a, block).invert(r, block);
  return r;
}

/// a a + b
template <class R>
KOKKOS_FORCEINLINE_FUNCTION HermitianBlocks<R> square_plus(const HermitianBlocks<R>& a, const R& b) {
  HermitianBlocks<R> r;
  for (int block = 0; block < 2; ++block)
    for (int i = 0; i < 6; ++i) {
      R sum = b;
      for (int k = 0; k < 6; ++k) sum += norm2(a(block, i, k));
      r.diagonal(block, i) = sum;
      for (int j = 0; j < i; ++j) {
        Complex<R> entry{R(0), R(0)};
        for (int k = 0; k < 6; ++k) multiply_add(entry, a(block, i, k), a(block, k, j));
        r.lower(block, i, j) = entry;
      }
    }
  return r;
}

}  // namespace kov
