// SPDX-License-Identifier: MIT
#include "kov/core/vectors/by_column.hpp"

#include <cmath>

namespace kov {

namespace {

using Number = std::complex<double>;

template <class A, class Function>
auto each(const ByColumn<A>& a, const Function& f) {
  auto result = ByColumn<decltype(f(a[0]))>::repeated(int(a.size()), 0);
  for (std::size_t k = 0; k < a.size(); ++k) result[k] = f(a[k]);
  return result;
}

template <class A, class B>
int common_size(const ByColumn<A>& a, const ByColumn<B>& b) {
  require(a.size() == b.size() || a.size() == 1 || b.size() == 1, "numbers of", a.size(), "and of", b.size(),
          "columns were combined: take both from fields of the same columns");
  return int(a.size() == 1 ? b.size() : a.size());
}

template <class A, class B, class Function>
auto each(const ByColumn<A>& a, const ByColumn<B>& b, const Function& f) {
  auto result = ByColumn<decltype(f(a[0], b[0]))>::repeated(common_size(a, b), 0);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = f(a[a.size() > 1 ? k : 0], b[b.size() > 1 ? k : 0]);
  return result;
}

}  // namespace

ByColumn<double> operator-(const ByColumn<double>& a) {
  return each(a, [](double x) { return -x; });
}
ByColumn<Number> operator-(const ByColumn<Number>& a) {
  return each(a, [](const Number& x) { return -x; });
}
ByColumn<double> operator*(const ByColumn<double>& a, const ByColumn<double>& b) {
  return each(a, b, [](double x, double y) { return x * y; });
}
ByColumn<Number> operator*(const ByColumn<double>& a, const ByColumn<Number>& b) {
  return each(a, b, [](double x, const Number& y) { return x * y; });
}
ByColumn<Number> operator*(const ByColumn<Number>& a, const ByColumn<Number>& b) {
  return each(a, b, [](const Number& x, const Number& y) { return x * y; });
}
ByColumn<double> operator/(const ByColumn<double>& a, const ByColumn<double>& b) {
  return each(a, b, [](double x, double y) { return x / y; });
}
ByColumn<Number> operator/(const ByColumn<Number>& a, const ByColumn<double>& b) {
  return each(a, b, [](const Number& x, double y) { return x / y; });
}
ByColumn<Number> operator/(const ByColumn<Number>& a, const ByColumn<Number>& b) {
  return each(a, b, [](const Number& x, const Number& y) { return x / y; });
}
ByColumn<double> sqrt(const ByColumn<double>& a) {
  return each(a, [](double x) { return std::sqrt(x); });
}
ByColumn<double> abs(const ByColumn<Number>& a) {
  return each(a, [](const Number& x) { return std::abs(x); });
}
ByColumn<double> real(const ByColumn<Number>& a) {
  return each(a, [](const Number& x) { return x.real(); });
}
ByColumn<Number> conj(const ByColumn<Number>& a) {
  return each(a, [](const Number& x) { return std::conj(x); });
}

ColumnMask not_above(const ByColumn<double>& a, const ByColumn<double>& b) {
  const ByColumn<double> above = each(a, b, [](double x, double y) { return x > y ? 1.0 : 0.0; });
  ColumnMask columns(int(above.size()));
  for (int k = 0; k < columns.size(); ++k)
    if (above[std::size_t(k)] == 0) columns.finish(k);
  return columns;
}

}  // namespace kov
