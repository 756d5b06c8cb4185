// SPDX-License-Identifier: MIT
#include "kov/core/vectors/column_ops.hpp"

#include "kov/core/vectors/column_batch.hpp"
#include "kov/core/vectors/vector_fields.hpp"

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

template <VectorField F, class C>
void ColumnUpdates<F, C>::scale(Span a, const F& x, const ColumnMask& finished, const Exec& exec) {
  combine<C>("scale_by_column", x, {a}, finished, exec, x);
}

template <VectorField F, class C>
void ColumnUpdates<F, C>::axpy(Span a, const F& x, const F& y, const ColumnMask& finished, const Exec& exec) {
  combine<C>("axpy_by_column", y, {std::nullopt, a}, finished, exec, y, x);
}

template <VectorField F, class C>
void ColumnUpdates<F, C>::axpbypz(Span a, const F& x, Span b, const F& y, const F& z, const ColumnMask& finished,
                                  const Exec& exec) {
  combine<C>("axpbypz_by_column", z, {std::nullopt, a, b}, finished, exec, z, x, y);
}

template <VectorField F, class C>
void ColumnUpdates<F, C>::xpay(const F& x, Span a, const F& y, const ColumnMask& finished, const Exec& exec) {
  combine<C>("xpay_by_column", y, {std::nullopt, a}, finished, exec, x, y);
}

template <VectorField F, class C>
void ColumnUpdates<F, C>::xpaypbz(const F& x, Span a, const F& y, Span b, const F& z, const ColumnMask& finished,
                                  const Exec& exec) {
  combine<C>("xpaypbz_by_column", z, {std::nullopt, b, a}, finished, exec, x, z, y);
}

#define KOV_COMPILE(...)                              \
  template struct ColumnUpdates<__VA_ARGS__, double>; \
  template struct ColumnUpdates<__VA_ARGS__, std::complex<double>>;
KOV_FOR_VECTOR_FIELDS(KOV_COMPILE);
#undef KOV_COMPILE

}  // namespace kov::detail
