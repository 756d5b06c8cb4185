// SPDX-License-Identifier: MIT
//
// ByColumn: a number for each column of a field, with arithmetic, so that formulas of solvers read the same for one
// right-hand side and for many.
#pragma once

#include "kov/core/vectors/column_mask.hpp"
#include "kov/core/vectors/one_or_many.hpp"

#include <complex>
#include <vector>

namespace kov {

/// C: double or std::complex<double>.  Arithmetic is column by column, and the result of a column does not depend on
/// how many there are.  A plain number is a ByColumn of one column, and combined with several it counts for each.
template <class C>
class ByColumn {
 public:
  ByColumn() = default;
  ByColumn(C number) : numbers_(1, number) {}                                 // NOLINT: meant to be implicit
  ByColumn(const std::vector<C>& numbers) : numbers_(numbers.size(), C(0)) {  // NOLINT: likewise
    std::copy(numbers.begin(), numbers.end(), numbers_.begin());
  }
  /// The same number for n columns.
  static ByColumn repeated(int n, C number) {
    ByColumn result;
    result.numbers_ = {std::size_t(n), number};
    return result;
  }

  std::size_t size() const { return numbers_.size(); }
  const C& operator[](std::size_t column) const { return numbers_.begin()[column]; }
  C& operator[](std::size_t column) { return numbers_.begin()[column]; }
  const C* begin() const { return numbers_.begin(); }
  const C* end() const { return numbers_.end(); }
  bool operator==(const ByColumn&) const = default;

 private:
  detail::OneOrMany<C> numbers_;
};

/// Column by column.  All throw InputError when the two have different numbers of columns and neither is a plain
/// number.
ByColumn<double> operator-(const ByColumn<double>& a);
ByColumn<std::complex<double>> operator-(const ByColumn<std::complex<double>>& a);
ByColumn<double> operator*(const ByColumn<double>& a, const ByColumn<double>& b);
ByColumn<std::complex<double>> operator*(const ByColumn<double>& a, const ByColumn<std::complex<double>>& b);
ByColumn<std::complex<double>> operator*(const ByColumn<std::complex<double>>& a,
                                         const ByColumn<std::complex<double>>& b);
ByColumn<double> operator/(const ByColumn<double>& a, const ByColumn<double>& b);
ByColumn<std::complex<double>> operator/(const ByColumn<std::complex<double>>& a, const ByColumn<double>& b);
ByColumn<std::complex<double>> operator/(const ByColumn<std::complex<double>>& a,
                                         const ByColumn<std::complex<double>>& b);
ByColumn<double> sqrt(const ByColumn<double>& a);
ByColumn<double> abs(const ByColumn<std::complex<double>>& a);
ByColumn<double> real(const ByColumn<std::complex<double>>& a);
ByColumn<std::complex<double>> conj(const ByColumn<std::complex<double>>& a);

/// The columns where a > b does not hold, those with NaN among them.
ColumnMask not_above(const ByColumn<double>& a, const ByColumn<double>& b);
/// The columns where a is 0.
template <class C>
ColumnMask zeros(const ByColumn<C>& a) {
  ColumnMask columns(int(a.size()));
  for (int k = 0; k < columns.size(); ++k)
    if (a[std::size_t(k)] == C(0)) columns.finish(k);
  return columns;
}
/// Of as many columns, a for those that `others` names and b for the rest.
template <class C>
ByColumn<C> choose(const ColumnMask& others, const ByColumn<C>& a, const ByColumn<C>& b) {
  ByColumn<C> result = b;
  for (std::size_t k = 0; k < result.size(); ++k)
    if (others.is_finished(int(k))) result[k] = a[k];
  return result;
}

}  // namespace kov
