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
    const Norm2Kernel<AlgebraView<F>> kernel{algebra_view(x), parts_of_site(x), x.n_groups(),
                                             exceeds_third_cache(x.bytes())};
    return sum_sites<1>("norm2", x.lattice(), x.subset(), kernel, SumMode::chunked, exec)[0];
  }
}

template <VectorField F>
std::complex<double> FieldSums<F>::inner_product(const F& x, const F& y, const Exec& exec) {
  if constexpr (goes_by_column<F>) {
    return total(ColumnSums<F>::inner_product(x, y, {}, exec));
  } else {
    require_conforming(x, y);
    const InnerProductKernel<AlgebraView<F>, false> kernel{algebra_view(x), algebra_view(y), parts_of_site(x),
                                                           x.n_groups(), exceeds_third_cache(2 * x.bytes())};
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
    const InnerProductKernel<AlgebraView<F>, true> kernel{algebra_view(x), algebra_view(y), parts_of_site(x),
                                                          x.n_groups(), exceeds_third_cache(2 * x.bytes())};
    const auto sum = sum_sites<3>("inner_product_norm2", x.lattice(), x.subset(), kernel, SumMode::chunked, exec);
    return {{sum[0], sum[1]}, sum[2]};
  }
}

#define KOV_INSTANTIATE(SiteT, T, Lanes)                           \
  template struct FieldSums<Field<SiteT, T, Lanes>>;               \
  template struct FieldUpdateSums<Field<SiteT, T, Lanes>, double>; \
  template struct FieldUpdateSums<Field<SiteT, T, Lanes>, std::complex<double>>
KOV_FOR_VECTOR_FIELDS(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov::detail
