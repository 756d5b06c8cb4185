// SPDX-License-Identifier: MIT
#include "kov/core/vectors/column_sums.hpp"

#include "kov/core/launch/streaming.hpp"
#include "kov/core/vectors/column_batch.hpp"
#include "kov/core/vectors/field_sums.hpp"
#include "kov/core/vectors/sum_kernels.hpp"

namespace kov::detail {

/// A kernel of groups as one of the slots of a batch.
template <class Kernel, int width>
struct SlotKernel {
  Kernel kernel;
  ColumnGroups<width> groups;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int slot) const {
    return kernel(x, groups.group[slot]);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int slot) const {
    kernel.prefetch(x, groups.group[slot]);
  }
};

namespace {

/// The sums of kernel(site, group) for every column of x.
template <int n, VectorField F, class Kernel>
std::vector<double> sum_columns(const char* name, const F& x, const Kernel& kernel, const ColumnMask& finished,
                                const Exec& exec) {
  SumsOfColumns<n, F> sums(x, exec);
  for (const auto& groups : column_groups<F::Lanes::width>(x.name(), x.n_components(), finished))
    sums.add(name, groups, SlotKernel<Kernel, F::Lanes::width>{kernel, groups});
  return sums.over_ranks(finished);
}

}  // namespace

template <VectorField F>
ByColumn<double> ColumnSums<F>::norm2(const F& x, const ColumnMask& finished, const Exec& exec) {
  if (is_single_column(x, finished)) return FieldSums<F>::norm2(x, exec);
  return sum_columns<1>(
      "norm2_by_column", x,
      Norm2Kernel<AlgebraView<F>>{algebra_view(x), parts_of_site(x), x.n_groups(), exceeds_third_cache(x.bytes())},
      finished, exec);
}

template <VectorField F>
ByColumn<std::complex<double>> ColumnSums<F>::inner_product(const F& x, const F& y, const ColumnMask& finished,
                                                            const Exec& exec) {
  if (is_single_column(x, finished)) return FieldSums<F>::inner_product(x, y, exec);
  require_conforming(x, y);
  const InnerProductKernel<AlgebraView<F>, false> kernel{algebra_view(x), algebra_view(y), parts_of_site(x),
                                                         x.n_groups(), exceeds_third_cache(2 * x.bytes())};
  const std::vector<double> sums = sum_columns<2>("inner_product_by_column", x, kernel, finished, exec);
  auto products = ByColumn<std::complex<double>>::repeated(x.n_components(), 0);
  for (std::size_t k = 0; k < products.size(); ++k) products[k] = {sums[2 * k], sums[2 * k + 1]};
  return products;
}

template <VectorField F>
ColumnProducts ColumnSums<F>::inner_product_norm2(const F& x, const F& y, const ColumnMask& finished,
                                                  const Exec& exec) {
  if (is_single_column(x, finished)) {
    const auto [product, norm] = FieldSums<F>::inner_product_norm2(x, y, exec);
    return {product, norm};
  }
  require_conforming(x, y);
  const InnerProductKernel<AlgebraView<F>, true> kernel{algebra_view(x), algebra_view(y), parts_of_site(x),
                                                        x.n_groups(), exceeds_third_cache(2 * x.bytes())};
  return column_products(sum_columns<3>("inner_product_norm2_by_column", x, kernel, finished, exec));
}

template <VectorField F, class C>
ByColumn<double> ColumnUpdateSums<F, C>::axpy_norm2(std::span<const C> a, const F& x, const F& y,
                                                    const ColumnMask& finished, const Exec& exec) {
  if (is_single_column(y, finished, a.size())) return FieldUpdateSums<F, C>::axpy_norm2(a[0], x, y, exec);
  SumsOfColumns<1, F> sums(y, exec);
  for_each_combination<C>(
      y, {std::nullopt, a}, finished,
      [&]<class Kernel>(const Kernel& kernel, const auto& batch) {
        sums.add("axpy_norm2_by_column", batch, CombineNorm2Kernel<Kernel>{kernel});
      },
      y, x);
  return sums.over_ranks(finished);
}

#define KOV_INSTANTIATE(SiteT, T, Lanes)                            \
  template struct ColumnSums<Field<SiteT, T, Lanes>>;               \
  template struct ColumnUpdateSums<Field<SiteT, T, Lanes>, double>; \
  template struct ColumnUpdateSums<Field<SiteT, T, Lanes>, std::complex<double>>
KOV_FOR_COLUMN_FIELDS(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov::detail
