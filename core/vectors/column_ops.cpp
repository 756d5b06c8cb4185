// SPDX-License-Identifier: MIT
#include "kov/core/vectors/column_ops.hpp"

#include "kov/core/vectors/column_batch.hpp"
#include "kov/core/vectors/field_ops.hpp"

namespace kov::detail {

namespace {

template <class C, class F, class... Xs>
void combine(const char* name, const F& y, const std::array<ColumnCoefficients<C>, sizeof...(Xs)>& c,
             const ColumnMask& finished, const Exec& exec, const Xs&... x) {
  for_each_combination<C>(
      y, c, finished,
      [&](const auto& kernel, const auto& batch) { for_each_group(name, y, batch.n_slots, kernel, exec); }, x...);
}

}  // namespace

template <VectorField F>
void ColumnCopies<F>::copy(const F& x, const F& y, const ColumnMask& finished, const Exec& exec) {
  if (is_single_column(y, finished)) return FieldOps<F>::copy(x, y, exec);
  combine<double>("copy_by_column", y, {std::nullopt}, finished, exec, x);
}

template <VectorField F, class C>
void ColumnUpdates<F, C>::scale(Span a, const F& x, const ColumnMask& finished, const Exec& exec) {
  if (is_single_column(x, finished, a.size())) return FieldUpdates<F, C>::scale(a[0], x, exec);
  combine<C>("scale_by_column", x, {a}, finished, exec, x);
}

template <VectorField F, class C>
void ColumnUpdates<F, C>::axpy(Span a, const F& x, const F& y, const ColumnMask& finished, const Exec& exec) {
  if (is_single_column(y, finished, a.size())) return FieldUpdates<F, C>::axpy(a[0], x, y, exec);
  combine<C>("axpy_by_column", y, {std::nullopt, a}, finished, exec, y, x);
}

template <VectorField F, class C>
void ColumnUpdates<F, C>::axpbypz(Span a, const F& x, Span b, const F& y, const F& z, const ColumnMask& finished,
                                  const Exec& exec) {
  if (is_single_column(z, finished, a.size(), b.size())) return FieldUpdates<F, C>::axpbypz(a[0], x, b[0], y, z, exec);
  combine<C>("axpbypz_by_column", z, {std::nullopt, a, b}, finished, exec, z, x, y);
}

template <VectorField F, class C>
void ColumnUpdates<F, C>::xpay(const F& x, Span a, const F& y, const ColumnMask& finished, const Exec& exec) {
  if (is_single_column(y, finished, a.size())) return FieldUpdates<F, C>::xpay(x, a[0], y, exec);
  combine<C>("xpay_by_column", y, {std::nullopt, a}, finished, exec, x, y);
}

template <VectorField F, class C>
void ColumnUpdates<F, C>::xpaypbz(const F& x, Span a, const F& y, Span b, const F& z, const ColumnMask& finished,
                                  const Exec& exec) {
  if (is_single_column(z, finished, a.size(), b.size())) return FieldUpdates<F, C>::xpaypbz(x, a[0], y, b[0], z, exec);
  combine<C>("xpaypbz_by_column", z, {std::nullopt, b, a}, finished, exec, x, z, y);
}

#define KOV_INSTANTIATE(SiteT, T, Lanes)                         \
  template struct ColumnCopies<Field<SiteT, T, Lanes>>;          \
  template struct ColumnUpdates<Field<SiteT, T, Lanes>, double>; \
  template struct ColumnUpdates<Field<SiteT, T, Lanes>, std::complex<double>>
KOV_FOR_COLUMN_FIELDS(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov::detail
