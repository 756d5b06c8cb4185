// SPDX-License-Identifier: MIT
//
// Linear combinations of fields as one kernel, and how they are stored: shared by updates and sums of fields and of
// columns.  Not for users.
#pragma once

#include "kov/core/vectors/field_columns.hpp"

#include <array>
#include <complex>

namespace kov::detail {

/// A coefficient in the precision of kernels.
template <class T>
T round_to(double a) {
  return T(a);
}
template <class T>
Complex<T> round_to(const std::complex<double>& a) {
  return {T(a.real()), T(a.imag())};
}

/// The same number in every lane.
template <class R, class T>
KOKKOS_FORCEINLINE_FUNCTION R spread(T a) {
  return R(a);
}
template <class R, class T>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> spread(const Complex<T>& a) {
  return {R(a.re), R(a.im)};
}

/// Stores what a combination is at a site in a group (or slot) of its columns, and calls f with each complex number of
/// it.  On hosts number by number: each is stored before the next one is loaded, so that loads and stores of several
/// sites are under way together.
template <class Combine, class Site, class F>
KOKKOS_FORCEINLINE_FUNCTION void store_combination(const Combine& combine, Site x, int group, const F& f) {
  using View = decltype(combine.out);
  if constexpr (View::Codec::is_plain && !std::is_same_v<Site, LaneSite>) {
    for_each_number<View>(
        combine.parts, combine.component(group), [&](int part, int i) __attribute__((always_inline)) {
          const auto z = combine.number(x, group, part, i);
          combine.out.set_element(x, part, i, z);
          f(z);
        });
  } else {
    const auto v = combine.value(x, group);
    combine.out.set(x, v, combine.component(group));
    kov::unroll<View::n_complex>([&](int i) __attribute__((always_inline)) { f(v.z[i]); });
  }
}
/// The same without f.
template <class Combine, class Site>
KOKKOS_FORCEINLINE_FUNCTION void store_combination(const Combine& combine, Site x, int group) {
  store_combination(combine, x, group, [](const auto&) {});
}

/// out = sum over i of c[i] in[i].
template <class View, class C, int n>
struct CombineKernel {
  static constexpr bool takes_pairs = View::outers == 2;

  Kokkos::Array<View, n> in;
  Kokkos::Array<C, n> c;
  View out;
  /// Whole sites: in cache the updates of a spinor take a tenth less time than in parts.
  PartsOfSite<false> parts;
  int n_groups;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x) const {
    for (int group = 0; group < n_groups; ++group) (*this)(x, group);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int group) const {
    store_combination(*this, x, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION int component(int group) const { return group; }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto value(Site x, int group) const {
    using S = decltype(in[0](x, group));
    using R = typename S::Real;
    S sum = spread<R>(c[0]) * in[0](x, group);
    for (int i = 1; i < n; ++i) multiply_add(sum, spread<R>(c[i]), in[i](x, group));
    return sum;
  }
  /// Number k of a part.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto number(Site x, int /*group*/, int part, int k) const {
    auto sum = in[0].element(x, part, k);
    using R = decltype(sum.re);
    sum = spread<R>(c[0]) * sum;
    for (int i = 1; i < n; ++i) multiply_add(sum, spread<R>(c[i]), in[i].element(x, part, k));
    return sum;
  }
};

/// The kernel of y = sum of c x over its terms.
template <class C, VectorField F, class... Xs>
auto combination(const F& y, const std::array<C, sizeof...(Xs)>& c, const Xs&... x) {
  require_conforming(y, x...);
  using T = typename F::Real;
  constexpr int n = sizeof...(Xs);
  using K = decltype(round_to<T>(c[0]));
  CombineKernel<typename F::View, K, n> kernel{{x.view()...}, {}, y.view(), {}, y.n_groups()};
  for (int i = 0; i < n; ++i) kernel.c[i] = round_to<T>(c[std::size_t(i)]);
  return kernel;
}

}  // namespace kov::detail
