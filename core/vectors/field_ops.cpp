// SPDX-License-Identifier: MIT
//
// Updates.  Sums are in field_sums.cpp: apart, each compiles in half the time.
#include "kov/core/vectors/field_ops.hpp"

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/vectors/field_combination.hpp"

namespace kov::detail {

template <class View>
struct ZeroKernel {
  static constexpr bool takes_pairs = View::outers == 2;

  View out;
  int n_groups;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x) const {
    for (int group = 0; group < n_groups; ++group) (*this)(x, group);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int group) const {
    using S = decltype(out(x, group));
    out.set(x, kov::zero<S>(), group);
  }
};

namespace {

template <class F, class Kernel>
void launch(const char* name, const F& y, const Kernel& kernel, const Exec& exec) {
  if constexpr (F::Lanes::width == 1)
    for_each_site(name, y.range(), kernel, exec);
  else
    for_each_group(name, y, y.n_groups(), kernel, exec);
}

}  // namespace

template <VectorField F>
void FieldOps<F>::zero(const F& x, const Exec& exec) {
  launch("zero", x, ZeroKernel<typename F::View>{x.view(), x.n_groups()}, exec);
}

template <VectorField F>
void FieldOps<F>::copy(const F& x, const F& y, const Exec& exec) {
  launch("copy", y, combination<double>(y, {1.0}, x), exec);
}

template <VectorField F, class C>
void FieldUpdates<F, C>::scale(C a, const F& x, const Exec& exec) {
  launch("scale", x, combination<C>(x, {a}, x), exec);
}

template <VectorField F, class C>
void FieldUpdates<F, C>::axpy(C a, const F& x, const F& y, const Exec& exec) {
  launch("axpy", y, combination<C>(y, {1.0, a}, y, x), exec);
}

template <VectorField F, class C>
void FieldUpdates<F, C>::axpbypz(C a, const F& x, C b, const F& y, const F& z, const Exec& exec) {
  launch("axpbypz", z, combination<C>(z, {1.0, a, b}, z, x, y), exec);
}

template <VectorField F, class C>
void FieldUpdates<F, C>::xpay(const F& x, C a, const F& y, const Exec& exec) {
  launch("xpay", y, combination<C>(y, {1.0, a}, x, y), exec);
}

template <VectorField F, class C>
void FieldUpdates<F, C>::xpaypbz(const F& x, C a, const F& y, C b, const F& z, const Exec& exec) {
  launch("xpaypbz", z, combination<C>(z, {1.0, b, a}, x, z, y), exec);
}

template struct FieldOps<Field<Scalar, float>>;
template struct FieldUpdates<Field<Scalar, float>, double>;
template struct FieldUpdates<Field<Scalar, float>, std::complex<double>>;
template struct FieldOps<Field<Scalar, double>>;
template struct FieldUpdates<Field<Scalar, double>, double>;
template struct FieldUpdates<Field<Scalar, double>, std::complex<double>>;
template struct FieldOps<Field<AdjointVector, float>>;
template struct FieldUpdates<Field<AdjointVector, float>, double>;
template struct FieldUpdates<Field<AdjointVector, float>, std::complex<double>>;
template struct FieldOps<Field<AdjointVector, double>>;
template struct FieldUpdates<Field<AdjointVector, double>, double>;
template struct FieldUpdates<Field<AdjointVector, double>, std::complex<double>>;
template struct FieldOps<Field<ColorVector, float>>;
template struct FieldUpdates<Field<ColorVector, float>, double>;
template struct FieldUpdates<Field<ColorVector, float>, std::complex<double>>;
template struct FieldOps<Field<ColorVector, double>>;
template struct FieldUpdates<Field<ColorVector, double>, double>;
template struct FieldUpdates<Field<ColorVector, double>, std::complex<double>>;
template struct FieldOps<Field<Spinor, float>>;
template struct FieldUpdates<Field<Spinor, float>, double>;
template struct FieldUpdates<Field<Spinor, float>, std::complex<double>>;
template struct FieldOps<Field<Spinor, double>>;
template struct FieldUpdates<Field<Spinor, double>, double>;
template struct FieldUpdates<Field<Spinor, double>, std::complex<double>>;
template struct FieldOps<Field<ColorVector, float, ColumnLanes<4>>>;
template struct FieldUpdates<Field<ColorVector, float, ColumnLanes<4>>, double>;
template struct FieldUpdates<Field<ColorVector, float, ColumnLanes<4>>, std::complex<double>>;
template struct FieldOps<Field<ColorVector, double, ColumnLanes<4>>>;
template struct FieldUpdates<Field<ColorVector, double, ColumnLanes<4>>, double>;
template struct FieldUpdates<Field<ColorVector, double, ColumnLanes<4>>, std::complex<double>>;
template struct FieldOps<Field<Spinor, float, ColumnLanes<4>>>;
template struct FieldUpdates<Field<Spinor, float, ColumnLanes<4>>, double>;
template struct FieldUpdates<Field<Spinor, float, ColumnLanes<4>>, std::complex<double>>;
template struct FieldOps<Field<Spinor, double, ColumnLanes<4>>>;
template struct FieldUpdates<Field<Spinor, double, ColumnLanes<4>>, double>;
template struct FieldUpdates<Field<Spinor, double, ColumnLanes<4>>, std::complex<double>>;
template struct FieldOps<Field<ColorVector, float, ColumnLanes<8>>>;
template struct FieldUpdates<Field<ColorVector, float, ColumnLanes<8>>, double>;
template struct FieldUpdates<Field<ColorVector, float, ColumnLanes<8>>, std::complex<double>>;
template struct FieldOps<Field<ColorVector, double, ColumnLanes<8>>>;
template struct FieldUpdates<Field<ColorVector, double, ColumnLanes<8>>, double>;
template struct FieldUpdates<Field<ColorVector, double, ColumnLanes<8>>, std::complex<double>>;
template struct FieldOps<Field<Spinor, float, ColumnLanes<8>>>;
template struct FieldUpdates<Field<Spinor, float, ColumnLanes<8>>, double>;
template struct FieldUpdates<Field<Spinor, float, ColumnLanes<8>>, std::complex<double>>;
template struct FieldOps<Field<Spinor, double, ColumnLanes<8>>>;
template struct FieldUpdates<Field<Spinor, double, ColumnLanes<8>>, double>;
template struct FieldUpdates<Field<Spinor, double, ColumnLanes<8>>, std::complex<double>>;
template struct FieldOps<Field<ColorVector, float, ColumnLanes<16>>>;
template struct FieldUpdates<Field<ColorVector, float, ColumnLanes<16>>, double>;
template struct FieldUpdates<Field<ColorVector, float, ColumnLanes<16>>, std::complex<double>>;
template struct FieldOps<Field<ColorVector, double, ColumnLanes<16>>>;
template struct FieldUpdates<Field<ColorVector, double, ColumnLanes<16>>, double>;
template struct FieldUpdates<Field<ColorVector, double, ColumnLanes<16>>, std::complex<double>>;
template struct FieldOps<Field<Spinor, float, ColumnLanes<16>>>;
template struct FieldUpdates<Field<Spinor, float, ColumnLanes<16>>, double>;
template struct FieldUpdates<Field<Spinor, float, ColumnLanes<16>>, std::complex<double>>;
template struct FieldOps<Field<Spinor, double, ColumnLanes<16>>>;
template struct FieldUpdates<Field<Spinor, double, ColumnLanes<16>>, double>;
template struct FieldUpdates<Field<Spinor, double, ColumnLanes<16>>, std::complex<double>>;
template struct FieldOps<Field<ColorMatrix, float>>;
template struct FieldUpdates<Field<ColorMatrix, float>, double>;
template struct FieldUpdates<Field<ColorMatrix, float>, std::complex<double>>;
template struct FieldOps<Field<ColorMatrix, double>>;
template struct FieldUpdates<Field<ColorMatrix, double>, double>;
template struct FieldUpdates<Field<ColorMatrix, double>, std::complex<double>>;
template struct FieldOps<Field<HalfSpinor, float>>;
template struct FieldUpdates<Field<HalfSpinor, float>, double>;
template struct FieldUpdates<Field<HalfSpinor, float>, std::complex<double>>;
template struct FieldOps<Field<HalfSpinor, double>>;
template struct FieldUpdates<Field<HalfSpinor, double>, double>;
template struct FieldUpdates<Field<HalfSpinor, double>, std::complex<double>>;
template struct FieldOps<Field<SpinMatrix, float>>;
template struct FieldUpdates<Field<SpinMatrix, float>, double>;
template struct FieldUpdates<Field<SpinMatrix, float>, std::complex<double>>;
template struct FieldOps<Field<SpinMatrix, double>>;
template struct FieldUpdates<Field<SpinMatrix, double>, double>;
template struct FieldUpdates<Field<SpinMatrix, double>, std::complex<double>>;
template struct FieldOps<Field<ColorVector, Fixed16>>;
template struct FieldUpdates<Field<ColorVector, Fixed16>, double>;
template struct FieldOps<Field<Spinor, Fixed16>>;
template struct FieldUpdates<Field<Spinor, Fixed16>, double>;

}  // namespace kov::detail
