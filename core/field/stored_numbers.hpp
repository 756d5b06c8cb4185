// SPDX-License-Identifier: MIT
//
// Numbers in blocks of lanes: the order in memory that all codecs share.  Storage is [number][re|im][lane] where packs
// exist, so that a CPU loads whole registers, and [number][lane][re|im] elsewhere, so that a GPU warp loads consecutive
// complex numbers: two at a time, [pair][lane][number][re|im], where a site has an even number of them in 16 or 8 bits,
// so that a thread loads 8 or 4 bytes.
#pragma once

#include "kov/core/site/complex.hpp"

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kov {

/// The numbers of a site, whatever its type and codec.
struct SiteShape {
  int n_reals;   // as kernels see it
  int n_stored;  // of these in memory: 12 of the 18 of a colour matrix where the third row is computed; or 8 others
  int n_scale;   // numbers before them that together hold a float, the scale of integers
  /// Numbers in memory, the scale among them.
  constexpr int n_numbers() const { return n_stored + n_scale; }
  /// Whether no number of a site has to be computed from others.
  constexpr bool stores_all() const { return n_stored == n_reals; }
  /// Whether these are the numbers of Links8.
  constexpr bool is_eight_of_su3() const { return n_stored == 8 && n_reals == 18; }
  friend constexpr bool operator==(const SiteShape&, const SiteShape&) = default;
};

namespace detail {

template <class T>
struct alignas(2 * sizeof(T)) StoredComplex {
  T re, im;
};
template <class T>
struct alignas(4 * sizeof(T)) StoredPair {
  T re0, im0, re1, im1;
};

/// How many of a site's n_stored reals a thread of a GPU loads at once.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr int reals_together(int n_stored) {
  return !has_packs && sizeof(T) <= 2 && n_stored % 4 == 0 ? 4 : 2;
}

/// The place of real k (2 * complex + im) of a lane in a block of this many lanes; together: 2 or 4.
KOKKOS_FORCEINLINE_FUNCTION constexpr int real_place(int k, int lane, int lanes, int together = 2) {
  const int bits = together / 2;  // without divisions
  return has_packs ? k * lanes + lane : (((k >> bits) * lanes + lane) << bits) + (k & (together - 1));
}

template <int N, int together = 2, class T>
KOKKOS_FORCEINLINE_FUNCTION Complex<T> load_complex(const T* block, int i, int lane) {
  if constexpr (has_packs) {
    return {block[2 * N * i + lane], block[2 * N * i + N + lane]};
  } else if constexpr (together == 4) {
    const auto z = reinterpret_cast<const StoredPair<T>*>(block)[N * (i / 2) + lane];
    return i % 2 == 0 ? Complex<T>{z.re0, z.im0} : Complex<T>{z.re1, z.im1};
  } else {
    const auto z = reinterpret_cast<const StoredComplex<T>*>(block)[N * i + lane];
    return {z.re, z.im};
  }
}
template <int N, int together = 2, class T>
KOKKOS_FORCEINLINE_FUNCTION void store_complex(T* block, int i, int lane, const Complex<T>& z) {
  if constexpr (has_packs) {
    block[2 * N * i + lane] = z.re;
    block[2 * N * i + N + lane] = z.im;
  } else if constexpr (together == 4) {
    reinterpret_cast<StoredComplex<T>*>(block)[2 * (N * (i / 2) + lane) + i % 2] = {z.re, z.im};
  } else {
    reinterpret_cast<StoredComplex<T>*>(block)[N * i + lane] = {z.re, z.im};
  }
}
#if !defined(KOKKOS_ENABLE_CUDA)
/// N of the `row` lanes of a block, p points to the first of them.
template <int N, int row, class T>
KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> load_pack(const T* p, int i) {
  return {Pack<T, N>::load(p + 2 * row * i), Pack<T, N>::load(p + 2 * row * i + row)};
}
template <int N, int row, class T>
KOKKOS_FORCEINLINE_FUNCTION void store_pack(T* p, int i, const Complex<Pack<T, N>>& z) {
  z.re.store(p + 2 * row * i);
  z.im.store(p + 2 * row * i + row);
}
/// Bypasses the caches.
template <int N, class T>
KOKKOS_FORCEINLINE_FUNCTION void stream_pack(T* p, int i, const Complex<Pack<T, N>>& z) {
  z.re.stream(p + 2 * N * i);
  z.im.stream(p + 2 * N * i + N);
}
#endif

/// The largest integer in use, which stands for the scale: 32767 or 127.
template <std::signed_integral Stored>
inline constexpr float fixed_units = float(std::numeric_limits<Stored>::max());
template <std::signed_integral Stored>
inline constexpr float fixed_unit = 1 / fixed_units<Stored>;
inline constexpr float fixed16_units = fixed_units<std::int16_t>, fixed16_unit = fixed_unit<std::int16_t>;

#if defined(KOKKOS_ENABLE_CUDA)
/// The float of an integer.  GPUs convert 32 bits four times as fast as 8 or 16, in other units of a multiprocessor.
__device__ __forceinline__ float float_of_word(std::int32_t n) {
  float r;
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(r) : "r"(n));  // not what the compiler makes of it
  return r;
}
#endif

/// load_complex() as numbers of type Real.
template <class Real, int N, int together = 2, class T>
KOKKOS_FORCEINLINE_FUNCTION Complex<Real> load_as(const T* block, int i, int lane) {
#if defined(__CUDA_ARCH__)
  if constexpr (together == 4) {
    // Half of the numbers are converted as they are, half as words: all units of a multiprocessor have work.
    constexpr int bits = 8 * sizeof(T);
    using Pair = std::conditional_t<sizeof(T) == 2, std::uint64_t, std::uint32_t>;
    const Pair pair = reinterpret_cast<const Pair*>(block)[N * (i / 2) + lane];
    const auto word = std::uint32_t(i % 2 == 0 ? pair : pair >> 2 * bits);
    return {Real(T(word)), Real(float_of_word(std::int32_t(word << (32 - 2 * bits)) >> (32 - bits)))};
  }
#endif
  const auto z = load_complex<N, together>(block, i, lane);
  return {Real(z.re), Real(z.im)};
}

/// x where a > b, else y.
template <std::floating_point T>
KOKKOS_FORCEINLINE_FUNCTION T choose_greater(T a, T b, T x, T y) {
  return a > b ? x : y;
}
#if !defined(KOKKOS_ENABLE_CUDA)
template <int N>
KOKKOS_FORCEINLINE_FUNCTION Pack<float, N> choose_greater(const Pack<float, N>& a, const Pack<float, N>& b,
                                                          const Pack<float, N>& x, const Pack<float, N>& y) {
  return where_greater(a, b, x, y);
}
#endif

/// A number whose integer part is `units` rounded to the nearest integer in use; 0 for NaN.  R: a real or a pack of
/// them.
template <std::signed_integral Stored, class R>
KOKKOS_FORCEINLINE_FUNCTION R for_fixed(const R& units) {
  const R most(fixed_units<Stored>), least(-fixed_units<Stored>), none(0.f);
  const R up = choose_greater(units, none, units + R(0.5f), none);
  const R away = choose_greater(none, units, units - R(0.5f), up);
  return choose_greater(units, most, most, choose_greater(least, units, least, away));
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R for_fixed16(const R& units) {
  return for_fixed<std::int16_t>(units);
}
/// The nearest integer in use; 0 for what is not a number.
template <std::signed_integral Stored, std::floating_point T>
KOKKOS_FORCEINLINE_FUNCTION Stored to_fixed(T units) {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(Stored) <= 2);
  int n = 0;
  if constexpr (sizeof(T) == 8) {
    constexpr int most = std::numeric_limits<Stored>::max();
    if (units == units) n = ::max(-most, ::min(most, __double2int_rn(units)));
  } else if constexpr (sizeof(Stored) == 2) {
    // One instruction that rounds, keeps to the limits of the integer and makes 0 of NaN; below them lies only -32768,
    // of numbers that codecs do not take.
    asm("{.reg .s16 h; cvt.rni.s16.f32 h, %1; cvt.s32.s16 %0, h;}" : "=r"(n) : "f"(units));
  } else {
    asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(n) : "f"(units));
  }
  return Stored(n);
#else
  if constexpr (has_packs) return Stored(for_fixed<Stored>(units));
  const T most(fixed_units<Stored>), rounded = std::nearbyint(units);  // as devices do
  return Stored(rounded > most ? most : -most > rounded ? -most : rounded == rounded ? rounded : T(0));
#endif
}
template <std::floating_point T>
KOKKOS_FORCEINLINE_FUNCTION std::int16_t to_fixed16(T units) {
  return to_fixed<std::int16_t>(units);
}

/// The larger one of a number that is not negative and the size of another, which is left out where it is NaN.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R larger_size(const R& most, const R& v) {
#if defined(__CUDA_ARCH__)
  return ::fmax(most, ::fabs(v));
#else
  const R none(0.f), size = choose_greater(none, v, -v, v);
  return choose_greater(size, most, size, most);
#endif
}

/// The largest of the numbers added, NaN if one of them is not finite.  R: likewise.
template <class R>
struct FixedScale {
  R most = R(0.f), not_finite = R(0.f);
  KOKKOS_FORCEINLINE_FUNCTION void add(const R& v) {
    most = larger_size(most, v);
    not_finite += R(0.f) * v;
  }
  KOKKOS_FORCEINLINE_FUNCTION R value() const { return most + not_finite; }
  template <std::signed_integral Stored>
  KOKKOS_FORCEINLINE_FUNCTION R units_per_one() const {
    const R none(0.f), units = R(fixed_units<Stored>) / value();
    return choose_greater(value(), none, choose_greater(R(1e38f), units, units, none), none);
  }
};

}  // namespace detail

}  // namespace kov
