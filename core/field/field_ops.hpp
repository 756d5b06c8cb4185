// SPDX-License-Identifier: MIT
//
// Vector algebra on fields: what Krylov solvers are made of.  A field is one vector here: all its sites, components and
// colours; fields of one parity and columns of wider fields work alike.
#pragma once

#include "kov/core/field/field.hpp"

#include <complex>

namespace kov {

namespace detail {

template <template <class> class SiteT, class T>
struct FieldOps {
  using F = Field<SiteT, T>;
  static void zero(const F& x);
  static void copy(const F& x, const F& y);
};

/// Sums over all sites.
template <template <class> class SiteT, class T>
struct FieldSums {
  using F = Field<SiteT, T>;
  static double norm2(const F& x);
  static std::complex<double> inner_product(const F& x, const F& y);
  static std::pair<std::complex<double>, double> inner_product_norm2(const F& x, const F& y);
};

/// C: double or std::complex<double>.
template <template <class> class SiteT, class T, class C>
struct FieldUpdates {
  using F = Field<SiteT, T>;
  static void scale(C a, const F& x);
  static void axpy(C a, const F& x, const F& y);
  static void axpbypz(C a, const F& x, C b, const F& y, const F& z);
  static void xpay(const F& x, C a, const F& y);
  static void xpaypbz(const F& x, C a, const F& y, C b, const F& z);
};

/// Updates that sum over what they stored.
template <template <class> class SiteT, class T, class C>
struct FieldUpdateSums {
  using F = Field<SiteT, T>;
  static double axpy_norm2(C a, const F& x, const F& y);
};

/// What a coefficient of type C runs as: real numbers stay real.
template <class C>
using Coefficient = std::conditional_t<std::is_convertible_v<C, double>, double, std::complex<double>>;
template <template <class> class SiteT, class T, class C>
using UpdatesWith = FieldUpdates<SiteT, T, Coefficient<C>>;

}  // namespace detail

// What is written comes last, as in BLAS.  Updates are asynchronous.  Memory traffic is each field named, read once,
// and the result, written once.  All throw InputError when the fields differ in lattice, sites or components.
// Coefficients are numbers in double, real or complex; they are rounded to the fields' precision.

/// x = 0
template <template <class> class SiteT, class T>
void zero(const Field<SiteT, T>& x) {
  detail::FieldOps<SiteT, T>::zero(x);
}
/// y = x
template <template <class> class SiteT, class T>
void copy(const Field<SiteT, T>& x, const Field<SiteT, T>& y) {
  detail::FieldOps<SiteT, T>::copy(x, y);
}
/// x = a x
template <class C, template <class> class SiteT, class T>
void scale(C a, const Field<SiteT, T>& x) {
  detail::UpdatesWith<SiteT, T, C>::scale(a, x);
}
/// y = y + a x
template <class C, template <class> class SiteT, class T>
void axpy(C a, const Field<SiteT, T>& x, const Field<SiteT, T>& y) {
  detail::UpdatesWith<SiteT, T, C>::axpy(a, x, y);
}
/// z = z + a x + b y; a and b are of one type.
template <class C, template <class> class SiteT, class T>
void axpbypz(C a, const Field<SiteT, T>& x, C b, const Field<SiteT, T>& y, const Field<SiteT, T>& z) {
  detail::UpdatesWith<SiteT, T, C>::axpbypz(a, x, b, y, z);
}
/// y = x + a y
template <class C, template <class> class SiteT, class T>
void xpay(const Field<SiteT, T>& x, C a, const Field<SiteT, T>& y) {
  detail::UpdatesWith<SiteT, T, C>::xpay(x, a, y);
}
/// z = x + a y + b z; a and b are of one type.
template <class C, template <class> class SiteT, class T>
void xpaypbz(const Field<SiteT, T>& x, C a, const Field<SiteT, T>& y, C b, const Field<SiteT, T>& z) {
  detail::UpdatesWith<SiteT, T, C>::xpaypbz(x, a, y, b, z);
}

// Functions that return a number are collective and fence.  Products and sums are taken in double for either precision;
// the same bits come out for any number of threads.

/// y = y + a x; returns |y|^2.
template <class C, template <class> class SiteT, class T>
double axpy_norm2(C a, const Field<SiteT, T>& x, const Field<SiteT, T>& y) {
  return detail::FieldUpdateSums<SiteT, T, detail::Coefficient<C>>::axpy_norm2(a, x, y);
}
/// |x|^2
template <template <class> class SiteT, class T>
double norm2(const Field<SiteT, T>& x) {
  return detail::FieldSums<SiteT, T>::norm2(x);
}
/// sum of conj(x) y
template <template <class> class SiteT, class T>
std::complex<double> inner_product(const Field<SiteT, T>& x, const Field<SiteT, T>& y) {
  return detail::FieldSums<SiteT, T>::inner_product(x, y);
}
/// The sum of conj(x) y and |x|^2, in one pass.
template <template <class> class SiteT, class T>
std::pair<std::complex<double>, double> inner_product_norm2(const Field<SiteT, T>& x, const Field<SiteT, T>& y) {
  return detail::FieldSums<SiteT, T>::inner_product_norm2(x, y);
}

template <template <class> class SiteT, class StorageT, class LanesT>
Field<SiteT, StorageT, LanesT> Field<SiteT, StorageT, LanesT>::clone(const std::string& name) const {
  const Field r = like(name);
  if constexpr (std::is_same_v<LanesT, SiteLanes>) {
    copy(*this, r);
  } else {
    require(contiguous(), "a copy of some components of", name_, "was asked for: copy all of them");
    detail::copy_on_device(r.data(), data(), bytes());
  }
  return r;
}

}  // namespace kov
