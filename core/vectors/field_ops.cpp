// SPDX-License-Identifier: MIT
//
// Updates.  Sums are in field_sums.cpp: apart, each compiles in half the time.
#include "kov/core/vectors/field_ops.hpp"

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/vectors/column_ops.hpp"
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

/// y = sum of c x over its terms.
template <class C, VectorField F, class... Xs>
void combine(const char* name, const F& y, const std::array<C, sizeof...(Xs)>& c, const Exec& exec, const Xs&... x) {
  for_each_site(name, y.range().in_memory_order(), combination<C>(y, c, x...), exec);
}
template <VectorField F, class C>
std::vector<C> of_every_column(const F& y, C a) {
  return std::vector<C>(std::size_t(y.n_components()), a);
}

}  // namespace

template <VectorField F>
void FieldOps<F>::zero(const F& x, const Exec& exec) {
  const int n_groups = parts_of_site(x).n * x.n_groups();
  const ZeroKernel<AlgebraView<F>> kernel{algebra_view(x), n_groups};
  if constexpr (goes_by_column<F>)
    for_each_group("zero", x, n_groups, kernel, exec);
  else
    for_each_site("zero", x.range().in_memory_order(), kernel, exec);
}

template <VectorField F>
void FieldOps<F>::copy(const F& x, const F& y, const Exec& exec) {
  if constexpr (goes_by_column<F>)
    ColumnCopies<F>::copy(x, y, {}, exec);
  else
    combine<double>("copy", y, {1.0}, exec, x);
}

template <VectorField F, class C>
void FieldUpdates<F, C>::scale(C a, const F& x, const Exec& exec) {
  if constexpr (goes_by_column<F>)
    ColumnUpdates<F, C>::scale(of_every_column(x, a), x, {}, exec);
  else
    combine<C>("scale", x, {a}, exec, x);
}

template <VectorField F, class C>
void FieldUpdates<F, C>::axpy(C a, const F& x, const F& y, const Exec& exec) {
  if constexpr (goes_by_column<F>)
    ColumnUpdates<F, C>::axpy(of_every_column(y, a), x, y, {}, exec);
  else
    combine<C>("axpy", y, {1.0, a}, exec, y, x);
}

template <VectorField F, class C>
void FieldUpdates<F, C>::axpbypz(C a, const F& x, C b, const F& y, const F& z, const Exec& exec) {
  if constexpr (goes_by_column<F>)
    ColumnUpdates<F, C>::axpbypz(of_every_column(z, a), x, of_every_column(z, b), y, z, {}, exec);
  else
    combine<C>("axpbypz", z, {1.0, a, b}, exec, z, x, y);
}

template <VectorField F, class C>
void FieldUpdates<F, C>::xpay(const F& x, C a, const F& y, const Exec& exec) {
  if constexpr (goes_by_column<F>)
    ColumnUpdates<F, C>::xpay(x, of_every_column(y, a), y, {}, exec);
  else
    combine<C>("xpay", y, {1.0, a}, exec, x, y);
}

template <VectorField F, class C>
void FieldUpdates<F, C>::xpaypbz(const F& x, C a, const F& y, C b, const F& z, const Exec& exec) {
  if constexpr (goes_by_column<F>)
    ColumnUpdates<F, C>::xpaypbz(x, of_every_column(z, a), y, of_every_column(z, b), z, {}, exec);
  else
    combine<C>("xpaypbz", z, {1.0, b, a}, exec, x, z, y);
}

#define KOV_INSTANTIATE(SiteT, T, Lanes)                        \
  template struct FieldOps<Field<SiteT, T, Lanes>>;             \
  template struct FieldUpdates<Field<SiteT, T, Lanes>, double>; \
  template struct FieldUpdates<Field<SiteT, T, Lanes>, std::complex<double>>
KOV_FOR_VECTOR_FIELDS(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE
template struct FieldOps<Field<ColorVector, Fixed16>>;
template struct FieldUpdates<Field<ColorVector, Fixed16>, double>;
template struct FieldOps<Field<Spinor, Fixed8>>;

}  // namespace kov::detail
