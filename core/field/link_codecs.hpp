// SPDX-License-Identifier: MIT
//
// Storages of SU(3) matrices in fewer numbers than 18, see Codec.
#pragma once

#include "kov/core/field/codec.hpp"
#include "kov/core/site/su3_eight.hpp"

namespace kov {

/// The first two rows of SU(3) matrices, in T: float, double or Fixed16.  The third row is the conjugate of their cross
/// product, so it is exact up to rounding for SU(3) and wrong for anything else.
template <class T>
struct Links12 {};

/// SU(3) matrices as the numbers of to_eight(), in T: float, double or Fixed16.  Off by at most 6 (float) and 50
/// (double) roundings of 1, and in 16 bits by 2e-4; wrong for matrices that are not in SU(3).  As in Fixed16, 16 bits
/// do not keep NaN.
template <class T>
struct Links8 {};

namespace detail {

/// The 6 complex numbers of Links12 in memory: as they are, and as integers in units of 1 / 32767.
template <class T>
struct NumbersInMemory {
  using Real = T;
  using Stored = T;
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION Complex<T> load_lane(const T* block, int i, int lane) {
    return load_complex<N>(block, i, lane);
  }
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void store_lane(T* block, int i, int lane, const Complex<T>& z) {
    store_complex<N>(block, i, lane, z);
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> load(const T* p, int i) {
    return load_pack<N, row>(p, i);
  }
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION void store(T* p, int i, const Complex<Pack<T, N>>& z) {
    store_pack<N, row>(p, i, z);
  }
#endif
};

template <>
struct NumbersInMemory<Fixed16> {
  using Real = float;
  using Stored = std::int16_t;
  static constexpr int together = reals_together<Stored>(12);
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION Complex<float> load_lane(const Stored* block, int i, int lane) {
    const float unit = fixed16_unit;
    return unit * load_as<float, N, together>(block, i, lane);
  }
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void store_lane(Stored* block, int i, int lane, const Complex<float>& z) {
    store_complex<N, together>(block, i, lane,
                               Complex<Stored>{to_fixed16(z.re * fixed16_units), to_fixed16(z.im * fixed16_units)});
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<float, N>> load(const Stored* p, int i) {
    using P = Pack<float, N>;
    return {P::of_integers(p + 2 * row * i) * P(fixed16_unit), P::of_integers(p + 2 * row * i + row) * P(fixed16_unit)};
  }
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION void store(Stored* p, int i, const Complex<Pack<float, N>>& z) {
    using P = Pack<float, N>;
    for_fixed16(z.re * P(fixed16_units)).store_integers(p + 2 * row * i);
    for_fixed16(z.im * P(fixed16_units)).store_integers(p + 2 * row * i + row);
  }
#endif
};

/// The numbers of to_eight() do not exceed 1 if neither point of a sphere is nearer to its antipode: first rows with a
/// negative Re U_00 are taken times -1, with the second rows, and so are second rows with a negative s0, with the
/// third. Numbers 0 and 5 are the two signs too: they have 15 bits, and integers above 0 mean -1.
inline constexpr float signed15_units = 16383, signed15_shift = 16384;

/// The numbers to be stored, once their fractions are cut off.
template <class R>
KOKKOS_INLINE_FUNCTION EightReals<R> to_eight_integers(const ColorMatrix<R>& u) {
  const R none(0.f), one(1.f), first = where_greater(none, u(0, 0).re, -one, one);
  ColorMatrix<R> v = u;
  for (int i = 0; i < 6; ++i) v.z[i] = first * u.z[i];
  EightReals<R> r = to_eight(v);
  const R square = r.x[5] * r.x[5] + r.x[6] * r.x[6] + r.x[7] * r.x[7];
  const R second = where_greater(square, one, -one, one), scale = where_greater(square, one, -one / square, one);
  for (int k = 5; k < 8; ++k) r.x[k] = scale * r.x[k];
  for (int k = 0; k < 8; ++k) {
    R units = R(fixed16_units) * r.x[k];
    if (k == 0 || k == 5) units = R(signed15_units) * r.x[k] - (k == 0 ? first : second) * R(signed15_shift);
    r.x[k] = for_fixed16(units);
  }
  return r;
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> su3_of_eight_integers(const EightReals<R>& n) {
  const R none(0.f), one(1.f);
  const auto sign = [&](int k) { return where_greater(n.x[k], none, -one, one); };
  const R first = sign(0), second = sign(5);
  EightReals<R> r;
  for (int k = 0; k < 8; ++k) r.x[k] = R(fixed16_unit) * n.x[k];
  r.x[0] = R(1 / signed15_units) * (n.x[0] + R(signed15_shift) * first);
  r.x[5] = R(1 / signed15_units) * (n.x[5] + R(signed15_shift) * second);
  ColorMatrix<R> u = su3_of_eight(r);
  for (int i = 0; i < 9; ++i) u.z[i] = (i < 3 ? first : i < 6 ? first * second : second) * u.z[i];
  return u;
}

}  // namespace detail

/// The first two rows.  rest_after and rest(): kernels read the first two rows of packs where they are.
template <class T>
struct Codec<ColorMatrix, Links12<T>> {
  using Numbers = detail::NumbersInMemory<T>;
  using Real = typename Numbers::Real;
  using Stored = typename Numbers::Stored;
  static constexpr int n_complex = 9, n_stored = 12;
  static constexpr bool is_plain = false;
  static constexpr int rest_after = std::is_same_v<Real, Stored> ? 6 : n_complex;
  static constexpr SiteShape shape{18, n_stored, 0};

  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> load_lane(const Stored* block, int lane) {
    ColorMatrix<Real> u;
    for (int i = 0; i < 6; ++i) u.z[i] = Numbers::template load_lane<N>(block, i, lane);
    complete_third_row(u);
    return u;
  }
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void store_lane(Stored* block, int lane, const ColorMatrix<Real>& u) {
    for (int i = 0; i < 6; ++i) Numbers::template store_lane<N>(block, i, lane, u.z[i]);
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Pack<Real, N>> load(const Stored* block, int first) {
    ColorMatrix<Pack<Real, N>> u;
    unroll<6>([&](int i) __attribute__((always_inline)) { u.z[i] = Numbers::template load<N, row>(block + first, i); });
    complete_third_row(u);
    return u;
  }
  /// One register of lanes after the other, as the numbers of more do not fit into those of AVX2.
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION void rest(const Real* p, Real* to) requires(std::is_same_v<Real, Stored>) {
    constexpr int width = Pack<Real, N>::width;
    unroll<N / width>([&](int word) __attribute__((always_inline)) {
      const ColorMatrix<Pack<Real, width>> u = load<width, row>(p, word * width);
      unroll<3>([&](int a) __attribute__((always_inline)) {
        u(2, a).re.store(to + 2 * row * a + word * width);
        u(2, a).im.store(to + 2 * row * a + row + word * width);
      });
    });
  }
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION void store(Stored* block, int first, const ColorMatrix<Pack<Real, N>>& u) {
    unroll<6>([&](int i) __attribute__((always_inline)) { Numbers::template store<N, row>(block + first, i, u.z[i]); });
  }
#endif
};

/// Numbers are stored in pairs, as if they were the parts of complex numbers.
template <class T>
struct Codec<ColorMatrix, Links8<T>> {
  static constexpr bool in_16_bits = std::is_same_v<T, Fixed16>;
  using Real = typename detail::NumbersInMemory<T>::Real;
  using Stored = typename detail::NumbersInMemory<T>::Stored;
  static constexpr int n_complex = 9, n_stored = 8, together = detail::reals_together<Stored>(n_stored);
  static constexpr bool is_plain = false;
  static constexpr SiteShape shape{18, n_stored, 0};

  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> load_lane(const Stored* block, int lane) {
    EightReals<Real> r;
    for (int i = 0; i < 4; ++i) {
      const auto z = detail::load_as<Real, N, together>(block, i, lane);
      r.x[2 * i] = Real(z.re);
      r.x[2 * i + 1] = Real(z.im);
    }
    return from_numbers(r);
  }
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void store_lane(Stored* block, int lane, const ColorMatrix<Real>& u) {
    const EightReals<Real> r = to_numbers(u);
    for (int i = 0; i < 4; ++i)
      detail::store_complex<N, together>(block, i, lane, Complex<Stored>{Stored(r.x[2 * i]), Stored(r.x[2 * i + 1])});
  }
  /// The matrix of the numbers that are stored; R: Real or packs of it.
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> from_numbers(const EightReals<R>& r) {
    if constexpr (in_16_bits)
      return detail::su3_of_eight_integers(r);
    else
      return su3_of_eight(r);
  }
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION EightReals<R> to_numbers(const ColorMatrix<R>& u) {
    if constexpr (in_16_bits)
      return detail::to_eight_integers(u);
    else
      return to_eight(u);
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  /// Functions of their own: inlined at every leg of a stencil they would fill the first-level cache.
  template <int N, int row>
  [[gnu::noinline]] static ColorMatrix<Pack<Real, N>> load(const Stored* block, int first) {
    using P = Pack<Real, N>;
    EightReals<P> r;
    for (int k = 0; k < 8; ++k)
      if constexpr (in_16_bits)
        r.x[k] = P::of_integers(block + first + row * k);
      else
        r.x[k] = P::load(block + first + row * k);
    return from_numbers(r);
  }
  template <int N, int row>
  [[gnu::noinline]] static void store(Stored* block, int first, const ColorMatrix<Pack<Real, N>>& u) {
    const EightReals<Pack<Real, N>> r = to_numbers(u);
    for (int k = 0; k < 8; ++k)
      if constexpr (in_16_bits)
        r.x[k].store_integers(block + first + row * k);
      else
        r.x[k].store(block + first + row * k);
  }
#endif
};

}  // namespace kov
