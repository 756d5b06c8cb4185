// SPDX-License-Identifier: MIT
//
// Updates.  Sums are in field_sums.cpp: apart, each compiles in half the time.
#include "kov/core/field/field_ops.hpp"

#include "kov/core/field/field_combination.hpp"
#include "kov/core/launch/for_each_site.hpp"

namespace kov::detail {

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

namespace {

template <class F, class Kernel>
void launch(const char* name, const F& y, const Kernel& kernel) {
  for_each_site(name, y.range(), kernel);
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
void FieldUpdates<SiteT, T, C>::axpy(C a, const F& x, const F& y) {
  launch("axpy", y, combination<C>(y, {1.0, a}, y, x));
}

template <template <class> class SiteT, class T, class C>
void FieldUpdates<SiteT, T, C>::axpbypz(C a, const F& x, C b, const F& y, const F& z) {
  launch("axpbypz", z, combination<C>(z, {1.0, a, b}, z, x, y));
}

template <template <class> class SiteT, class T, class C>
void FieldUpdates<SiteT, T, C>::xpay(const F& x, C a, const F& y) {
  launch("xpay", y, combination<C>(y, {1.0, a}, x, y));
}

template <template <class> class SiteT, class T, class C>
void FieldUpdates<SiteT, T, C>::xpaypbz(const F& x, C a, const F& y, C b, const F& z) {
  launch("xpaypbz", z, combination<C>(z, {1.0, b, a}, x, z, y));
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
template struct FieldOps<AdjointVector, float>;
template struct FieldUpdates<AdjointVector, float, double>;
template struct FieldUpdates<AdjointVector, float, std::complex<double>>;
template struct FieldOps<AdjointVector, double>;
template struct FieldUpdates<AdjointVector, double, double>;
template struct FieldUpdates<AdjointVector, double, std::complex<double>>;
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

}  // namespace kov::detail
