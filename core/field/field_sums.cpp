// SPDX-License-Identifier: MIT
//
// Norms and inner products, and updates that return them.
#include "kov/core/field/field_combination.hpp"
#include "kov/core/field/field_ops.hpp"
#include "kov/core/field/reduce.hpp"

namespace kov::detail {

template <class S>
using DoubleOf = decltype(to_double(typename S::Real()));

template <class S>
KOKKOS_FORCEINLINE_FUNCTION void add_norm2(DoubleOf<S>& sum, const S& v) {
  for (int i = 0; i < S::n_complex; ++i) {
    const auto z = to_double(v.z[i]);
    sum += z.re * z.re;
    sum += z.im * z.im;
  }
}

/// The same, and the norm of what was stored.
template <class View, class C, int n>
struct CombineNorm2Kernel {
  CombineKernel<View, C, n> combine;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    using S = decltype(combine.value(x, 0));
    Values<DoubleOf<S>, 1> sum{{DoubleOf<S>(0.0)}};
    for (int component = 0; component < combine.n_components; ++component) {
      const S v = combine.value(x, component);
      combine.out.set(x, v, component);
      add_norm2(sum.v[0], v);
    }
    return sum;
  }
};

template <class View>
struct Norm2Kernel {
  View in;
  int n_components;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    using S = decltype(in(x, 0));
    Values<DoubleOf<S>, 1> sum{{DoubleOf<S>(0.0)}};
    for (int component = 0; component < n_components; ++component) add_norm2(sum.v[0], in(x, component));
    return sum;
  }
};

/// Real and imaginary part of sum conj(a) b, and |a|^2 where it is wanted.
template <class View, bool with_norm2>
struct InnerProductKernel {
  View a, b;
  int n_components;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    using S = decltype(a(x, 0));
    using R = DoubleOf<S>;
    Complex<R> sum{R(0.0), R(0.0)};
    R norm(0.0);
    for (int component = 0; component < n_components; ++component) {
      const S v = a(x, component), w = b(x, component);
      for (int i = 0; i < S::n_complex; ++i) conj_multiply_add(sum, to_double(v.z[i]), to_double(w.z[i]));
      if constexpr (with_norm2) add_norm2(norm, v);
    }
    if constexpr (with_norm2)
      return Values<R, 3>{{sum.re, sum.im, norm}};
    else
      return Values<R, 2>{{sum.re, sum.im}};
  }
};

template <template <class> class SiteT, class T, class C>
double FieldUpdateSums<SiteT, T, C>::axpy_norm2(C a, const F& x, const F& y) {
  const auto combine = combination<C>(y, {1.0, a}, y, x);
  using K = decltype(round_to<T>(a));
  return sum_sites<1>("axpy_norm2", y.lattice(), y.subset(), CombineNorm2Kernel<typename F::View, K, 2>{combine})[0];
}

template <template <class> class SiteT, class T>
double FieldSums<SiteT, T>::norm2(const F& x) {
  return sum_sites<1>("norm2", x.lattice(), x.subset(), Norm2Kernel<typename F::View>{x.view(), x.n_components()})[0];
}

template <template <class> class SiteT, class T>
std::complex<double> FieldSums<SiteT, T>::inner_product(const F& x, const F& y) {
  require_conforming(x, y);
  const auto sum = sum_sites<2>("inner_product", x.lattice(), x.subset(),
                                InnerProductKernel<typename F::View, false>{x.view(), y.view(), x.n_components()});
  return {sum[0], sum[1]};
}

template <template <class> class SiteT, class T>
std::pair<std::complex<double>, double> FieldSums<SiteT, T>::inner_product_norm2(const F& x, const F& y) {
  require_conforming(x, y);
  const auto sum = sum_sites<3>("inner_product_norm2", x.lattice(), x.subset(),
                                InnerProductKernel<typename F::View, true>{x.view(), y.view(), x.n_components()});
  return {{sum[0], sum[1]}, sum[2]};
}

template struct FieldSums<Scalar, float>;
template struct FieldUpdateSums<Scalar, float, double>;
template struct FieldUpdateSums<Scalar, float, std::complex<double>>;
template struct FieldSums<Scalar, double>;
template struct FieldUpdateSums<Scalar, double, double>;
template struct FieldUpdateSums<Scalar, double, std::complex<double>>;
template struct FieldSums<ColorVector, float>;
template struct FieldUpdateSums<ColorVector, float, double>;
template struct FieldUpdateSums<ColorVector, float, std::complex<double>>;
template struct FieldSums<ColorVector, double>;
template struct FieldUpdateSums<ColorVector, double, double>;
template struct FieldUpdateSums<ColorVector, double, std::complex<double>>;
template struct FieldSums<AdjointVector, float>;
template struct FieldUpdateSums<AdjointVector, float, double>;
template struct FieldUpdateSums<AdjointVector, float, std::complex<double>>;
template struct FieldSums<AdjointVector, double>;
template struct FieldUpdateSums<AdjointVector, double, double>;
template struct FieldUpdateSums<AdjointVector, double, std::complex<double>>;
template struct FieldSums<ColorMatrix, float>;
template struct FieldUpdateSums<ColorMatrix, float, double>;
template struct FieldUpdateSums<ColorMatrix, float, std::complex<double>>;
template struct FieldSums<ColorMatrix, double>;
template struct FieldUpdateSums<ColorMatrix, double, double>;
template struct FieldUpdateSums<ColorMatrix, double, std::complex<double>>;
template struct FieldSums<Spinor, float>;
template struct FieldUpdateSums<Spinor, float, double>;
template struct FieldUpdateSums<Spinor, float, std::complex<double>>;
template struct FieldSums<Spinor, double>;
template struct FieldUpdateSums<Spinor, double, double>;
template struct FieldUpdateSums<Spinor, double, std::complex<double>>;
template struct FieldSums<HalfSpinor, float>;
template struct FieldUpdateSums<HalfSpinor, float, double>;
template struct FieldUpdateSums<HalfSpinor, float, std::complex<double>>;
template struct FieldSums<HalfSpinor, double>;
template struct FieldUpdateSums<HalfSpinor, double, double>;
template struct FieldUpdateSums<HalfSpinor, double, std::complex<double>>;
template struct FieldSums<SpinMatrix, float>;
template struct FieldUpdateSums<SpinMatrix, float, double>;
template struct FieldUpdateSums<SpinMatrix, float, std::complex<double>>;
template struct FieldSums<SpinMatrix, double>;
template struct FieldUpdateSums<SpinMatrix, double, double>;
template struct FieldUpdateSums<SpinMatrix, double, std::complex<double>>;

}  // namespace kov::detail
