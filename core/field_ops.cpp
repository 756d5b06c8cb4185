// SPDX-License-Identifier: MIT
#include "kov/core/field_ops.hpp"

#include "kov/core/reduce.hpp"

namespace kov {

namespace detail {

/// A coefficient as kernels multiply with it.
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

/// out = sum over i of c[i] in[i].
template <class View, class C, int n>
struct CombineKernel {
  Kokkos::Array<View, n> in;
  Kokkos::Array<C, n> c;
  View out;
  int n_components;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x) const {
    for (int component = 0; component < n_components; ++component) out.set(x, value(x, component), component);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto value(Site x, int component) const {
    using S = decltype(in[0](x, component));
    using R = typename S::Real;
    S sum = spread<R>(c[0]) * in[0](x, component);
    for (int i = 1; i < n; ++i) multiply_add(sum, spread<R>(c[i]), in[i](x, component));
    return sum;
  }
};

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
struct ZeroKernel {
  View out;
  int n_components;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x) const {
    using S = decltype(out(x, 0));
    for (int component = 0; component < n_components; ++component) out.set(x, kov::zero<S>(), component);
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

namespace {

template <class F, class... Fs>
void require_conforming(const F& x, const Fs&... others) {
  require((x.conforms(others) && ...), "vector algebra got", x.name(), sentence("with", others.name())...,
          "which differ in lattice, sites or components: give it fields of one shape");
}

/// The kernel of y = sum of c x over its terms.
template <class C, class F, class... Xs>
auto combination(const F& y, const std::array<C, sizeof...(Xs)>& c, const Xs&... x) {
  require_conforming(y, x...);
  using T = typename F::Real;
  constexpr int n = sizeof...(Xs);
  using View = typename F::View;
  using K = decltype(round_to<T>(c[0]));
  CombineKernel<View, K, n> kernel{{x.view()...}, {}, y.view(), y.n_components()};
  for (int i = 0; i < n; ++i) kernel.c[i] = round_to<T>(c[std::size_t(i)]);
  return kernel;
}

template <class F, class Kernel>
void launch(const char* name, const F& y, const Kernel& kernel) {
  for_each_site<default_lanes>(name, y.range(), kernel);
}

}  // namespace

template <template <class> class SiteT, class T>
void FieldOps<SiteT, T>::zero(const F& x) {
  launch("zero", x, ZeroKernel<typename F::View>{x.view(), x.n_components()});
}

template <template <class> class SiteT, class T>
void FieldOps<SiteT, T>::copy(const F& x, const F& y) {
  launch("copy", y, combination<double>(y, {1.0}, x));
}

template <template <class> class SiteT, class T, class C>
void FieldUpdates<SiteT, T, C>::scale(C a, const F& x) {
  launch("scale", x, combination<C>(x, {a}, x));
}

template <template <class> class SiteT, class T, class C>
void FieldUpdates<SiteT, T, C>::axpy(const F& y, C a, const F& x) {
  launch("axpy", y, combination<C>(y, {1.0, a}, y, x));
}

template <template <class> class SiteT, class T, class C>
void FieldUpdates<SiteT, T, C>::axpy(const F& y, C a, const F& x, C b, const F& z) {
  launch("axpy", y, combination<C>(y, {1.0, a, b}, y, x, z));
}

template <template <class> class SiteT, class T, class C>
void FieldUpdates<SiteT, T, C>::xpay(const F& x, C a, const F& y) {
  launch("xpay", y, combination<C>(y, {1.0, a}, x, y));
}

template <template <class> class SiteT, class T, class C>
void FieldUpdates<SiteT, T, C>::xpay(const F& x, C a, const F& y, C b, const F& z) {
  launch("xpay", y, combination<C>(y, {1.0, a, b}, x, y, z));
}

template <template <class> class SiteT, class T, class C>
double FieldUpdates<SiteT, T, C>::axpy_norm2(const F& y, C a, const F& x) {
  const auto combine = combination<C>(y, {1.0, a}, y, x);
  using K = decltype(round_to<T>(a));
  return sum_sites<1>("axpy_norm2", y.lattice(), y.subset(), CombineNorm2Kernel<typename F::View, K, 2>{combine})[0];
}

template <template <class> class SiteT, class T>
double FieldOps<SiteT, T>::norm2(const F& x) {
  return sum_sites<1>("norm2", x.lattice(), x.subset(), Norm2Kernel<typename F::View>{x.view(), x.n_components()})[0];
}

template <template <class> class SiteT, class T>
std::complex<double> FieldOps<SiteT, T>::inner_product(const F& x, const F& y) {
  require_conforming(x, y);
  const auto sum = sum_sites<2>("inner_product", x.lattice(), x.subset(),
                                InnerProductKernel<typename F::View, false>{x.view(), y.view(), x.n_components()});
  return {sum[0], sum[1]};
}

template <template <class> class SiteT, class T>
std::pair<std::complex<double>, double> FieldOps<SiteT, T>::inner_product_norm2(const F& x, const F& y) {
  require_conforming(x, y);
  const auto sum = sum_sites<3>("inner_product_norm2", x.lattice(), x.subset(),
                                InnerProductKernel<typename F::View, true>{x.view(), y.view(), x.n_components()});
  return {{sum[0], sum[1]}, sum[2]};
}

template struct FieldOps<Scalar, float>;
template struct FieldUpdates<Scalar, float, double>;
template struct FieldUpdates<Scalar, float, std::complex<double>>;
template struct FieldOps<Scalar, double>;
template struct FieldUpdates<Scalar, double, double>;
template struct FieldUpdates<Scalar, double, std::complex<double>>;
template struct FieldOps<ColorVector, float>;
template struct FieldUpdates<ColorVector, float, double>;
template struct FieldUpdates<ColorVector, float, std::complex<double>>;
template struct FieldOps<ColorVector, double>;
template struct FieldUpdates<ColorVector, double, double>;
template struct FieldUpdates<ColorVector, double, std::complex<double>>;
template struct FieldOps<ColorMatrix, float>;
template struct FieldUpdates<ColorMatrix, float, double>;
template struct FieldUpdates<ColorMatrix, float, std::complex<double>>;
template struct FieldOps<ColorMatrix, double>;
template struct FieldUpdates<ColorMatrix, double, double>;
template struct FieldUpdates<ColorMatrix, double, std::complex<double>>;
template struct FieldOps<Spinor, float>;
template struct FieldUpdates<Spinor, float, double>;
template struct FieldUpdates<Spinor, float, std::complex<double>>;
template struct FieldOps<Spinor, double>;
template struct FieldUpdates<Spinor, double, double>;
template struct FieldUpdates<Spinor, double, std::complex<double>>;
template struct FieldOps<HalfSpinor, float>;
template struct FieldUpdates<HalfSpinor, float, double>;
template struct FieldUpdates<HalfSpinor, float, std::complex<double>>;
template struct FieldOps<HalfSpinor, double>;
template struct FieldUpdates<HalfSpinor, double, double>;
template struct FieldUpdates<HalfSpinor, double, std::complex<double>>;
template struct FieldOps<SpinMatrix, float>;
template struct FieldUpdates<SpinMatrix, float, double>;
template struct FieldUpdates<SpinMatrix, float, std::complex<double>>;
template struct FieldOps<SpinMatrix, double>;
template struct FieldUpdates<SpinMatrix, double, double>;
template struct FieldUpdates<SpinMatrix, double, std::complex<double>>;

}  // namespace detail
}  // namespace kov
