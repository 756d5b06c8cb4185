// SPDX-License-Identifier: MIT
//
// Numbers in blocks of lanes: the order in memory that all codecs share.  Storage is [number][re|im][lane] where packs
// exist, so that a CPU loads whole registers, and [number][lane][re|im] elsewhere, so that a GPU warp loads consecutive
// complex numbers: two at a time, [pair][lane][number][re|im], where they are in 16 bits, so that a thread loads 8
// bytes.
#pragma once

#include "kov/core/site/complex.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace kov {

/// The numbers of a site, whatever its type and codec.
struct SiteShape {
  int n_reals;   // as kernels see it
  int n_stored;  // of these in memory: 12 of the 18 of a colour matrix where the third row is computed; or 8 others
  int n_scale;   // numbers before them that together hold a float, the scale of integers
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
  return !has_packs && sizeof(T) == 2 && n_stored % 4 == 0 ? 4 : 2;
}

/// The place of real k (2 * complex + im) of a lane in a block of this many lanes.
KOKKOS_FORCEINLINE_FUNCTION constexpr int real_place(int k, int lane, int lanes, int together = 2) {
  return has_packs ? k * lanes + lane : (k / together * lanes + lane) * together + k % together;
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

/// A number whose integer part is `units` rounded to the nearest integer in use; 0 for NaN.  R: a real or a pack of them.
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
template <std::signed_integral Stored, std::floating_point T>
KOKKOS_FORCEINLINE_FUNCTION Stored to_fixed(T units) {
  return Stored(for_fixed<Stored>(units));
}
template <std::floating_point T>
KOKKOS_FORCEINLINE_FUNCTION std::int16_t to_fixed16(T units) {
  return to_fixed<std::int16_t>(units);
}

/// The largest of the numbers added, NaN if one of them is not finite.  R: likewise.
template <class R>
struct FixedScale {
  R most = R(0.f), not_finite = R(0.f);
  KOKKOS_FORCEINLINE_FUNCTION void add(const R& v) {
    const R none(0.f), size = choose_greater(none, v, -v, v);
    most = choose_greater(size, most, size, most);
    not_finite += none * v;
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
