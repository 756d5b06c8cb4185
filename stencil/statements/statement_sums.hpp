// SPDX-License-Identifier: MIT
//
// What sums of expressions do with the values of one site: reals in double, and what the host calls the result.  Not
// for users.
#pragma once

#include "kov/core/vectors/reduce.hpp"
#include "kov/stencil/statements/site_algebra.hpp"

#include <complex>

namespace kov::detail {

/// The reals of a value in double, added to a sum; and what the sum over sites is called by the host.
template <class V>
struct SumOf {
  static constexpr int n = 1;
  static double result(const double* v) { return *v; }
  template <class Sum>
  static KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, const V& v) {
    sum.v[0] += to_double(v);
  }
};
template <class R>
struct SumOf<Complex<R>> {
  static constexpr int n = 2;
  static std::complex<double> result(const double* v) { return {v[0], v[1]}; }
  template <class Sum>
  static KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, const Complex<R>& z) {
    sum.v[0] += to_double(z.re);
    sum.v[1] += to_double(z.im);
  }
};
template <template <class> class SiteT, class R>
requires SiteObject<SiteT<R>>
struct SumOf<SiteT<R>> {
  static constexpr int n = 2 * SiteT<R>::n_complex;
  static SiteT<double> result(const double* v) {
    SiteT<double> s;
    for (int i = 0; i < n / 2; ++i) s.z[i] = {v[2 * i], v[2 * i + 1]};
    return s;
  }
  template <class Sum>
  static KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, const SiteT<R>& s) {
    for (int i = 0; i < n / 2; ++i) {
      sum.v[2 * i] += to_double(s.z[i].re);
      sum.v[2 * i + 1] += to_double(s.z[i].im);
    }
  }
};

/// The same site in double.
template <template <class> class SiteT, class R>
KOKKOS_FORCEINLINE_FUNCTION auto convert_site(const SiteT<R>& s) {
  SiteT<decltype(to_double(R()))> r;
  for (int i = 0; i < SiteT<R>::n_complex; ++i) r.z[i] = to_double(s.z[i]);
  return r;
}

/// conj(a) b and |a|^2 with products in double, as inner_product() and norm2() of fields take them.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto in_double(const V& v) {
  if constexpr (LazySpinColor<V>) {
    return convert_site(to_matrix(v));
  } else if constexpr (SiteObject<V>) {
    return convert_site(v);
  } else {
    return to_double(v);
  }
}
struct DoubleDot {
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const A& a, const B& b) const {
    return Dot{}(in_double(a), in_double(b));
  }
};
struct DoubleNorm2 {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    if constexpr (is_real_v<V>)
      return to_double(v) * to_double(v);
    else
      return norm2(in_double(v));
  }
};

}  // namespace kov::detail
