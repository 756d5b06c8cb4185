// SPDX-License-Identifier: MIT
#include "kov/core/vectors/field_sums.hpp"

#include "kov/core/launch/streaming.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_combination.hpp"
#include "kov/core/vectors/reduce.hpp"
#include "kov/core/vectors/sum_kernels.hpp"

#include <numeric>

namespace kov::detail {

namespace {

/// Adds the sums of kernels by column.
template <class C>
C total(const ByColumn<C>& sums) {
  return std::accumulate(sums.begin(), sums.end(), C(0));
}

}  // namespace

template <VectorField F, class C>
double FieldUpdateSums<F, C>::axpy_norm2(C a, const F& x, const F& y, const Exec& exec) {
  if constexpr (goes_by_column<F>) {
    const std::vector<C> of_every_column(std::size_t(y.n_components()), a);
    return total(ColumnUpdateSums<F, C>::axpy_norm2(of_every_column, x, y, {}, exec));
  } else {
    const auto combine = combination<C>(y, {1.0, a}, y, x);
    const CombineNorm2Kernel<std::remove_const_t<decltype(combine)>> kernel{combine};
    return sum_sites<1>("axpy_norm2", y.lattice(), y.subset(), kernel, SumMode::chunked, exec)[0];
  }
}

template <VectorField F>
double FieldSums<F>::norm2(const F& x, const Exec& exec) {
  if constexpr (goes_by_column<F>) {
    return total(ColumnSums<F>::norm2(x, {}, exec));
  } else {
    const Norm2Kernel<typename F::View> kernel{x.view(), x.n_groups(), worth_streaming(x.bytes())};
    return sum_sites<1>("norm2", x.lattice(), x.subset(), kernel, SumMode::chunked, exec)[0];
  }
}

template <VectorField F>
std::complex<double> FieldSums<F>::inner_product(const F& x, const F& y, const Exec& exec) {
  if constexpr (goes_by_column<F>) {
    return total(ColumnSums<F>::inner_product(x, y, {}, exec));
  } else {
    require_conforming(x, y);
    const InnerProductKernel<typename F::View, false> kernel{x.view(), y.view(), x.n_groups(),
                                                             worth_streaming(2 * x.bytes())};
    const auto sum = sum_sites<2>("inner_product", x.lattice(), x.subset(), kernel, SumMode::chunked, exec);
    return {sum[0], sum[1]};
  }
}

template <VectorField F>
std::pair<std::complex<double>, double> FieldSums<F>::inner_product_norm2(const F& x, const F& y, const Exec& exec) {
  if constexpr (goes_by_column<F>) {
    const ColumnProducts sums = ColumnSums<F>::inner_product_norm2(x, y, {}, exec);
    return {total(sums.inner_product), total(sums.norm2)};
  } else {
    require_conforming(x, y);
    const InnerProductKernel<typename F::View, true> kernel{x.view(), y.view(), x.n_groups(),
                                                            worth_streaming(2 * x.bytes())};
    const auto sum = sum_sites<3>("inner_product_norm2", x.lattice(), x.subset(), kernel, SumMode::chunked, exec);
    return {{sum[0], sum[1]}, sum[2]};
  }
}

template struct FieldSums<Field<Scalar, float>>;
template struct FieldUpdateSums<Field<Scalar, float>, double>;
template struct FieldUpdateSums<Field<Scalar, float>, std::complex<double>>;
template struct FieldSums<Field<Scalar, double>>;
template struct FieldUpdateSums<Field<Scalar, double>, double>;
template struct FieldUpdateSums<Field<Scalar, double>, std::complex<double>>;
template struct FieldSums<Field<AdjointVector, float>>;
template struct FieldUpdateSums<Field<AdjointVector, float>, double>;
template struct FieldUpdateSums<Field<AdjointVector, float>, std::complex<double>>;
template struct FieldSums<Field<AdjointVector, double>>;
template struct FieldUpdateSums<Field<AdjointVector, double>, double>;
template struct FieldUpdateSums<Field<AdjointVector, double>, std::complex<double>>;
template struct FieldSums<Field<ColorVector, float>>;
template struct FieldUpdateSums<Field<ColorVector, float>, double>;
template struct FieldUpdateSums<Field<ColorVector, float>, std::complex<double>>;
template struct FieldSums<Field<ColorVector, double>>;
template struct FieldUpdateSums<Field<ColorVector, double>, double>;
template struct FieldUpdateSums<Field<ColorVector, double>, std::complex<double>>;
template struct FieldSums<Field<Spinor, float>>;
template struct FieldUpdateSums<Field<Spinor, float>, double>;
template struct FieldUpdateSums<Field<Spinor, float>, std::complex<double>>;
template struct FieldSums<Field<Spinor, double>>;
template struct FieldUpdateSums<Field<Spinor, double>, double>;
template struct FieldUpdateSums<Field<Spinor, double>, std::complex<double>>;
template struct FieldSums<Field<ColorVector, float, ColumnLanes<4>>>;
template struct FieldUpdateSums<Field<ColorVector, float, ColumnLanes<4>>, double>;
template struct FieldUpdateSums<Field<ColorVector, float, ColumnLanes<4>>, std::complex<double>>;
template struct FieldSums<Field<ColorVector, double, ColumnLanes<4>>>;
template struct FieldUpdateSums<Field<ColorVector, double, ColumnLanes<4>>, double>;
template struct FieldUpdateSums<Field<ColorVector, double, ColumnLanes<4>>, std::complex<double>>;
template struct FieldSums<Field<Spinor, float, ColumnLanes<4>>>;
template struct FieldUpdateSums<Field<Spinor, float, ColumnLanes<4>>, double>;
template struct FieldUpdateSums<Field<Spinor, float, ColumnLanes<4>>, std::complex<double>>;
template struct FieldSums<Field<Spinor, double, ColumnLanes<4>>>;
template struct FieldUpdateSums<Field<Spinor, double, ColumnLanes<4>>, double>;
template struct FieldUpdateSums<Field<Spinor, double, ColumnLanes<4>>, std::complex<double>>;
template struct FieldSums<Field<ColorVector, float, ColumnLanes<8>>>;
template struct FieldUpdateSums<Field<ColorVector, float, ColumnLanes<8>>, double>;
template struct FieldUpdateSums<Field<ColorVector, float, ColumnLanes<8>>, std::complex<double>>;
template struct FieldSums<Field<ColorVector, double, ColumnLanes<8>>>;
template struct FieldUpdateSums<Field<ColorVector, double, ColumnLanes<8>>, double>;
template struct FieldUpdateSums<Field<ColorVector, double, ColumnLanes<8>>, std::complex<double>>;
template struct FieldSums<Field<Spinor, float, ColumnLanes<8>>>;
template struct FieldUpdateSums<Field<Spinor, float, ColumnLanes<8>>, double>;
template struct FieldUpdateSums<Field<Spinor, float, ColumnLanes<8>>, std::complex<double>>;
template struct FieldSums<Field<Spinor, double, ColumnLanes<8>>>;
template struct FieldUpdateSums<Field<Spinor, double, ColumnLanes<8>>, double>;
template struct FieldUpdateSums<Field<Spinor, double, ColumnLanes<8>>, std::complex<double>>;
template struct FieldSums<Field<ColorVector, float, ColumnLanes<16>>>;
template struct FieldUpdateSums<Field<ColorVector, float, ColumnLanes<16>>, double>;
template struct FieldUpdateSums<Field<ColorVector, float, ColumnLanes<16>>, std::complex<double>>;
template struct FieldSums<Field<ColorVector, double, ColumnLanes<16>>>;
template struct FieldUpdateSums<Field<ColorVector, double, ColumnLanes<16>>, double>;
template struct FieldUpdateSums<Field<ColorVector, double, ColumnLanes<16>>, std::complex<double>>;
template struct FieldSums<Field<Spinor, float, ColumnLanes<16>>>;
template struct FieldUpdateSums<Field<Spinor, float, ColumnLanes<16>>, double>;
template struct FieldUpdateSums<Field<Spinor, float, ColumnLanes<16>>, std::complex<double>>;
template struct FieldSums<Field<Spinor, double, ColumnLanes<16>>>;
template struct FieldUpdateSums<Field<Spinor, double, ColumnLanes<16>>, double>;
template struct FieldUpdateSums<Field<Spinor, double, ColumnLanes<16>>, std::complex<double>>;
template struct FieldSums<Field<ColorMatrix, float>>;
template struct FieldUpdateSums<Field<ColorMatrix, float>, double>;
template struct FieldUpdateSums<Field<ColorMatrix, float>, std::complex<double>>;
template struct FieldSums<Field<ColorMatrix, double>>;
template struct FieldUpdateSums<Field<ColorMatrix, double>, double>;
template struct FieldUpdateSums<Field<ColorMatrix, double>, std::complex<double>>;
template struct FieldSums<Field<HalfSpinor, float>>;
template struct FieldUpdateSums<Field<HalfSpinor, float>, double>;
template struct FieldUpdateSums<Field<HalfSpinor, float>, std::complex<double>>;
template struct FieldSums<Field<HalfSpinor, double>>;
template struct FieldUpdateSums<Field<HalfSpinor, double>, double>;
template struct FieldUpdateSums<Field<HalfSpinor, double>, std::complex<double>>;
template struct FieldSums<Field<SpinMatrix, float>>;
template struct FieldUpdateSums<Field<SpinMatrix, float>, double>;
template struct FieldUpdateSums<Field<SpinMatrix, float>, std::complex<double>>;
template struct FieldSums<Field<SpinMatrix, double>>;
template struct FieldUpdateSums<Field<SpinMatrix, double>, double>;
template struct FieldUpdateSums<Field<SpinMatrix, double>, std::complex<double>>;
template struct FieldSums<Field<Spinor, Fixed16>>;
template struct FieldUpdateSums<Field<Spinor, Fixed16>, double>;
template struct FieldUpdateSums<Field<Spinor, Fixed16>, std::complex<double>>;

}  // namespace kov::detail
