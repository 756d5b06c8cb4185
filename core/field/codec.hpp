// SPDX-License-Identifier: MIT
//
// Codec: how a site lies in memory, as opposed to what kernels compute in.  Fields, views and halos take the storage as
// a parameter: float and double for plain reals, or one of the types here and in link_codecs.hpp.
#pragma once

#include "kov/core/field/stored_numbers.hpp"
#include "kov/core/site/color_spin.hpp"

#include <concepts>

namespace kov {

/// 16-bit integers in units of 1 / 32767 of a site's largest real number, which is kept beside them as a float; each
/// number is rounded to nearest and so off by at most 2^-16 of the largest.  A site with a number that is not finite
/// comes back as NaN throughout.  Colour matrices have no such float: their numbers must not exceed 1, as those of
/// SU(3) do not, and NaN comes back as 0.  Kernels compute in float.
struct Fixed16 {};

/// The same with 8-bit integers, in units of 1 / 127 of the largest: each number is off by at most 1 / 254 of that. For
/// spinors, of which Wilson's hop on links of 12 reals in 16 bits takes them.
struct Fixed8 {};

namespace detail {
template <class Storage>
struct FixedPointInteger {};
template <>
struct FixedPointInteger<Fixed16> {
  using type = std::int16_t;
};
template <>
struct FixedPointInteger<Fixed8> {
  using type = std::int8_t;
};
}  // namespace detail

/// Fixed16 and Fixed8.
template <class Storage>
concept FixedPoint = requires {
  typename detail::FixedPointInteger<Storage>::type;
};

/// Codec<SiteT, Storage>:
///   Real    what kernels compute in
///   Stored  what memory is counted in: a block of N lanes has N * n_stored of them
///   shape   the same in numbers, for work that treats all types alike
///   is_plain  whether memory holds what kernels compute in, so that nothing is decoded
///   load_lane<N>(block, lane), store_lane<N>(block, lane, site): a lane of a block of N
///   load<N, row>(block, first), store<N, row>(block, first, site): packs of N lanes, from `first` on, of a block of
///   `row`
/// and, if memory holds the first complex numbers of a site as kernels compute with them, but not all,
///   rest_after  how many
///   rest<N, row>(p, to): computes the others, where p and `to` are the first of N lanes of either
template <template <class> class SiteT, class Storage>
struct Codec;

/// Plain reals.
template <template <class> class SiteT, std::floating_point T>
struct Codec<SiteT, T> {
  using Real = T;
  using Stored = T;
  static constexpr int n_complex = SiteT<T>::n_complex, n_stored = 2 * n_complex;
  static constexpr bool is_plain = true;
  static constexpr SiteShape shape{n_stored, n_stored, 0};

  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION SiteT<T> load_lane(const T* block, int lane) {
    SiteT<T> r;
    for (int i = 0; i < n_complex; ++i) r.z[i] = detail::load_complex<N>(block, i, lane);
    return r;
  }
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void store_lane(T* block, int lane, const SiteT<T>& v) {
    for (int i = 0; i < n_complex; ++i) detail::store_complex<N>(block, i, lane, v.z[i]);
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION SiteT<Pack<T, N>> load(const T* block, int first) {
    SiteT<Pack<T, N>> r;
    unroll<n_complex>([&](int i)
                          __attribute__((always_inline)) { r.z[i] = detail::load_pack<N, row>(block + first, i); });
    return r;
  }
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION void store(T* block, int first, const SiteT<Pack<T, N>>& v) {
    unroll<n_complex>([&](int i)
                          __attribute__((always_inline)) { detail::store_pack<N, row>(block + first, i, v.z[i]); });
  }
#endif
};

/// In a block the scales of all lanes come first, then the integers in the order that reals would have.
template <template <class> class SiteT, FixedPoint Storage>
struct Codec<SiteT, Storage> {
  using Real = float;
  using Stored = typename detail::FixedPointInteger<Storage>::type;
  static constexpr int n_complex = SiteT<float>::n_complex;
  static constexpr bool has_scale = !std::is_same_v<SiteT<float>, ColorMatrix<float>>, is_plain = false;
  /// A float takes the place of two or four integers.
  static constexpr int n_scale = has_scale ? int(sizeof(float) / sizeof(Stored)) : 0,
                       n_stored = 2 * n_complex + n_scale;
  /// The largest integer, and what it is a multiple of, in units of the scale.
  static constexpr float units = detail::fixed_units<Stored>, unit = detail::fixed_unit<Stored>;
  static constexpr int together = detail::reals_together<Stored>(2 * n_complex);
  static_assert(n_stored * sizeof(Stored) % sizeof(float) == 0, "the scales of a block must be aligned");
  static constexpr SiteShape shape{2 * n_complex, 2 * n_complex, n_scale};

  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION SiteT<float> load_lane(const Stored* block, int lane) {
    const float of_one = (has_scale ? scales(block)[lane] : 1.f) * unit;
    SiteT<float> r;
    for (int i = 0; i < n_complex; ++i)
      r.z[i] = of_one * detail::load_as<float, N, together>(block + n_scale * N, i, lane);
    return r;
  }
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void store_lane(Stored* block, int lane, const SiteT<float>& v) {
    float per_unit = units;
    if constexpr (has_scale) {
      detail::FixedScale<float> scale;
      for (int i = 0; i < n_complex; ++i) {
        scale.add(v.z[i].re);
        scale.add(v.z[i].im);
      }
      scales(block)[lane] = scale.value();
      per_unit = scale.template units_per_one<Stored>();
    }
    for (int i = 0; i < n_complex; ++i)
      detail::store_complex<N, together>(block + n_scale * N, i, lane,
                                         Complex<Stored>{detail::to_fixed<Stored>(v.z[i].re * per_unit),
                                                         detail::to_fixed<Stored>(v.z[i].im * per_unit)});
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION SiteT<Pack<float, N>> load(const Stored* block, int first) {
    using P = Pack<float, N>;
    const P of_one = (has_scale ? P::load(scales(block) + first) : P(1.f)) * P(unit);
    const Stored* const p = block + n_scale * row + first;
    SiteT<P> r;
    unroll<n_complex>([&](int i) __attribute__((always_inline)) {
      r.z[i] = {P::of_integers(p + 2 * row * i) * of_one, P::of_integers(p + 2 * row * i + row) * of_one};
    });
    return r;
  }
  template <int N, int row>
  static KOKKOS_FORCEINLINE_FUNCTION void store(Stored* block, int first, const SiteT<Pack<float, N>>& v) {
    using P = Pack<float, N>;
    P per_unit(units);
    if constexpr (has_scale) {
      detail::FixedScale<P> scale;
      unroll<n_complex>([&](int i) __attribute__((always_inline)) {
        scale.add(v.z[i].re);
        scale.add(v.z[i].im);
      });
      scale.value().store(scales(block) + first);
      per_unit = scale.template units_per_one<Stored>();
    }
    Stored* const p = block + n_scale * row + first;
    unroll<n_complex>([&](int i) __attribute__((always_inline)) {
      detail::for_fixed<Stored>(v.z[i].re * per_unit).store_integers(p + 2 * row * i);
      detail::for_fixed<Stored>(v.z[i].im * per_unit).store_integers(p + 2 * row * i + row);
    });
  }
#endif

 private:
  static KOKKOS_FORCEINLINE_FUNCTION const float* scales(const Stored* block) {
    return reinterpret_cast<const float*>(block);
  }
  static KOKKOS_FORCEINLINE_FUNCTION float* scales(Stored* block) { return reinterpret_cast<float*>(block); }
};

/// The real type that kernels compute in when fields of SiteT are stored as Storage.
template <template <class> class SiteT, class Storage>
using real_of_storage_t = typename Codec<SiteT, Storage>::Real;

}  // namespace kov
