// SPDX-License-Identifier: MIT
//
// Norms and inner products at a site, of all groups of columns together or of one: shared by field_sums.cpp and
// column_sums.cpp.  Not for users.
#pragma once

#include "kov/core/site/color_spin.hpp"
#include "kov/core/vectors/field_combination.hpp"
#include "kov/core/vectors/group_sums.hpp"

namespace kov::detail {

/// What the numbers of a site S are added in: double, or packs of them.
template <class S>
using RealSumOf = DoubleOf<typename S::Real>;

/// sum += |z|^2, the squares in double.
template <class Sum, class R>
KOKKOS_FORCEINLINE_FUNCTION void add_norm2(Sum& sum, const Complex<R>& z) {
  const auto w = to_double(z);
  sum += w.re * w.re;
  sum += w.im * w.im;
}
/// sum += |v|^2 of all numbers of a site.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION void add_norm2(RealSumOf<S>& sum, const S& v) {
  kov::unroll<S::n_complex>([&](int i) __attribute__((always_inline)) { add_norm2(sum, v.z[i]); });
}

/// |in|^2 of a site: of all groups, or of one.
template <class View>
struct Norm2Kernel {
  static constexpr bool takes_pairs = View::outers == 2;

  View in;
  PartsOfSite<> parts;
  int n_groups;
  bool prefetches;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    return sum(x, 0, n_groups);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int group) const {
    return sum(x, group, group + 1);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x) const {
    if (prefetches) prefetch_groups(parts, x, 0, n_groups, in);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int group) const {
    if (prefetches) prefetch_groups(parts, x, group, group + 1, in);
  }

 private:
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto sum(Site x, int begin, int end) const {
    using R = RealSumOf<decltype(in(x, 0))>;
    R norm(0.0);
    for (int part = parts.n * begin; part < parts.n * end; ++part) add_norm2(norm, in(x, part));
    return Values<R, 1>{{norm}};
  }
};

/// A combination and its norm, before a codec rounds it.
template <class Combine>
struct CombineNorm2Kernel {
  static constexpr bool takes_pairs = TakesPairs<Combine>;

  Combine combine;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    using S = decltype(combine.value(x, 0));
    Values<RealSumOf<S>, 1> sum{{RealSumOf<S>(0.0)}};
    for (int group = 0; group < combine.n_groups; ++group) add(sum, x, group);
    return sum;
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int group) const {
    using S = decltype(combine.value(x, 0));
    Values<RealSumOf<S>, 1> sum{{RealSumOf<S>(0.0)}};
    add(sum, x, group);
    return sum;
  }

 private:
  template <class Sum, class Site>
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, Site x, int group) const {
    store_combination(
        combine, x, group, [&](const auto& z) __attribute__((always_inline)) { add_norm2(sum.v[0], z); });
  }
};

/// Real and imaginary part of sum conj(a) b, and |a|^2 where it is wanted.
template <class View, bool with_norm2>
struct InnerProductKernel {
  static constexpr bool takes_pairs = View::outers == 2;

  View a, b;
  PartsOfSite<> parts;
  int n_groups;
  bool prefetches;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    return sum(x, 0, n_groups);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int group) const {
    return sum(x, group, group + 1);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x) const {
    if (prefetches) prefetch_groups(parts, x, 0, n_groups, a, b);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int group) const {
    if (prefetches) prefetch_groups(parts, x, group, group + 1, a, b);
  }

 private:
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto sum(Site x, int begin, int end) const {
    using S = decltype(a(x, 0));
    using R = RealSumOf<S>;
    Complex<R> sum{R(0.0), R(0.0)};
    R norm(0.0);
    for (int part = parts.n * begin; part < parts.n * end; ++part) {
      const S v = a(x, part), w = b(x, part);
      kov::unroll<S::n_complex>([&](int i) __attribute__((always_inline)) {
        conj_multiply_add(sum, to_double(v.z[i]), to_double(w.z[i]));
      });
      if constexpr (with_norm2) add_norm2(norm, v);
    }
    if constexpr (with_norm2)
      return Values<R, 3>{{sum.re, sum.im, norm}};
    else
      return Values<R, 2>{{sum.re, sum.im}};
  }
};

}  // namespace kov::detail
