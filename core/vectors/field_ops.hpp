// SPDX-License-Identifier: MIT
//
// Vector algebra on fields, used by Krylov solvers; norms and products are in field_sums.hpp.  A field is one vector
// here: all its sites, components and colours; fields of one parity and columns of wider fields work alike.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/vectors/field_sums.hpp"

#include <complex>

namespace kov {

namespace detail {

template <VectorField F>
struct FieldOps {
  static void zero(const F& x, const Exec& exec);
  static void copy(const F& x, const F& y, const Exec& exec);
};

/// C: double or std::complex<double>.
template <VectorField F, class C>
struct FieldUpdates {
  static void scale(C a, const F& x, const Exec& exec);
  static void axpy(C a, const F& x, const F& y, const Exec& exec);
  static void axpbypz(C a, const F& x, C b, const F& y, const F& z, const Exec& exec);
  static void xpay(const F& x, C a, const F& y, const Exec& exec);
  static void xpaypbz(const F& x, C a, const F& y, C b, const F& z, const Exec& exec);
};

}  // namespace detail

// What is written comes last, as in BLAS.  Updates run on exec and are asynchronous.  Memory traffic is each field
// named, read once, and the result, written once.  All throw InputError when the fields differ in lattice, sites or
// components. Coefficients are numbers in double, real or complex; they are rounded to the fields' precision.

/// x = 0
template <detail::VectorField F>
void zero(const F& x, const Exec& exec = {}) {
  detail::FieldOps<F>::zero(x, exec);
}
/// y = x
template <detail::VectorField F>
void copy(const F& x, const F& y, const Exec& exec = {}) {
  detail::FieldOps<F>::copy(x, y, exec);
}
/// x = a x
template <Coefficient C, detail::VectorField F>
void scale(C a, const F& x, const Exec& exec = {}) {
  detail::FieldUpdates<F, detail::CoefficientOf<C>>::scale(a, x, exec);
}
/// y = y + a x
template <Coefficient C, detail::VectorField F>
void axpy(C a, const F& x, const F& y, const Exec& exec = {}) {
  detail::FieldUpdates<F, detail::CoefficientOf<C>>::axpy(a, x, y, exec);
}
/// z = z + a x + b y; a and b are of one type.
template <Coefficient C, detail::VectorField F>
void axpbypz(C a, const F& x, C b, const F& y, const F& z, const Exec& exec = {}) {
  detail::FieldUpdates<F, detail::CoefficientOf<C>>::axpbypz(a, x, b, y, z, exec);
}
/// y = x + a y
template <Coefficient C, detail::VectorField F>
void xpay(const F& x, C a, const F& y, const Exec& exec = {}) {
  detail::FieldUpdates<F, detail::CoefficientOf<C>>::xpay(x, a, y, exec);
}
/// z = x + a y + b z; a and b are of one type.
template <Coefficient C, detail::VectorField F>
void xpaypbz(const F& x, C a, const F& y, C b, const F& z, const Exec& exec = {}) {
  detail::FieldUpdates<F, detail::CoefficientOf<C>>::xpaypbz(x, a, y, b, z, exec);
}

template <template <class> class SiteT, class StorageT, class LanesT>
Field<SiteT, StorageT, LanesT> Field<SiteT, StorageT, LanesT>::clone(const std::string& name) const {
  const Field r = like(name);
  if constexpr (std::is_same_v<LanesT, SiteLanes>) {
    // Reading numbers in fixed point and writing them again may round their norm.
    if (!std::is_floating_point_v<Stored> && contiguous())
      detail::copy_on_device(r.data(), data(), bytes());
    else
      copy(*this, r);
  } else {
    require(contiguous(), "a clone of", this->name(),
            "was asked for, which is only some components of a field: clone the whole field");
    detail::copy_on_device(r.data(), data(), bytes());
  }
  return r;
}

}  // namespace kov
