// SPDX-License-Identifier: MIT
//
// Numbers in blocks of lanes: the order in memory that all codecs share.  Storage is [number][re|im][lane] where packs
// exist, so that a CPU loads whole registers, and [number][lane][re|im] elsewhere, so that a GPU warp loads consecutive
// complex numbers.
#pragma once

#include "kov/core/site/complex.hpp"

#include <cstddef>
#include <cstdint>

namespace kov {

/// The numbers of a site, whatever its type and codec.
struct SiteShape {
  int n_reals;   // as kernels see it
  int n_stored;  // of these in memory: 12 of the 18 of a colour matrix where the third row is computed
  int n_scale;   // numbers before them that together hold a float, the scale of 16-bit integers
  constexpr int n_numbers() const { return n_stored + n_scale; }
  friend constexpr bool operator==(const SiteShape&, const SiteShape&) = default;
};

namespace detail {

template <class T>
struct alignas(2 * sizeof(T)) StoredComplex {
  T re, im;
};

/// The place of real k (2 * complex + im) of a lane in a block of so many lanes.
KOKKOS_FORCEINLINE_FUNCTION constexpr int real_place(int k, int lane, int lanes) {
  return has_packs ? k * lanes + lane : ((k >> 1) * lanes + lane) * 2 + (k & 1);
}

template <int N, class T>
KOKKOS_FORCEINLINE_FUNCTION Complex<T> load_complex(const T* block, int i, int lane) {
  if constexpr (has_packs) {
    return {block[2 * N * i + lane], block[2 * N * i + N + lane]};
  } else {
    const auto z = reinterpret_cast<const StoredComplex<T>*>(block)[N * i + lane];
    return {z.re, z.im};
  }
}
template <int N, class T>
KOKKOS_FORCEINLINE_FUNCTION void store_complex(T* block, int i, int lane, const Complex<T>& z) {
  if constexpr (has_packs) {
    block[2 * N * i + lane] = z.re;
    block[2 * N * i + N + lane] = z.im;
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

inline constexpr float fixed16_units = 32767, fixed16_unit = 1 / fixed16_units;

/// To nearest; what is not a number becomes 0.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::int16_t to_fixed16(T units) {
  const T most = T(fixed16_units), rounded = units + (units < 0 ? T(-0.5) : T(0.5));
  if (!(units == units)) return 0;
  return std::int16_t(units > most ? most : units < -most ? -most : rounded);
}

/// The largest of the numbers added, NaN if one of them is not finite.
struct Fixed16Scale {
  float most = 0, not_finite = 0;
  KOKKOS_FORCEINLINE_FUNCTION void add(float v) {
    const float size = v < 0 ? -v : v;
    most = size > most ? size : most;
    not_finite += 0.f * v;
  }
  KOKKOS_FORCEINLINE_FUNCTION float value() const { return most + not_finite; }
  KOKKOS_FORCEINLINE_FUNCTION float units_per_one() const {
    return value() > 0 && fixed16_units / value() < 1e38f ? fixed16_units / value() : 0.f;
  }
};

}  // namespace detail

}  // namespace kov
