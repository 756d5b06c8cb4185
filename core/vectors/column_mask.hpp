// SPDX-License-Identifier: MIT
//
// ColumnMask: the columns of a field that vector algebra skips.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/vectors/one_or_many.hpp"

#include <algorithm>
#include <string>

namespace kov {

/// Columns that are finished, such as converged right-hand sides: they are not written and enter no sum.
class ColumnMask {
 public:
  /// No column is finished; fits fields of any number of columns.
  ColumnMask() = default;
  /// n columns, of which none is finished.
  explicit ColumnMask(int n) : finished_(std::size_t(n), 0) {}
  /// The number of columns that the mask is for; 0: any number.
  int size() const { return int(finished_.size()); }
  /// Marks a column as finished.  Throws InputError if it does not exist.
  void finish(int column) {
    require(column >= 0 && column < size(), "column", column, "of a mask of", size(),
            "columns does not exist: make the mask of as many columns as the field has");
    finished_.begin()[column] = 1;
  }
  bool is_finished(int column) const { return size() > 0 && finished_.begin()[column]; }
  /// How many of the size() columns are not finished.
  int n_unfinished() const { return int(std::count(finished_.begin(), finished_.end(), 0)); }
  bool all_finished() const { return size() > 0 && n_unfinished() == 0; }
  bool any_finished() const { return n_unfinished() < size(); }

  /// The mask of the other columns: those that are not finished.
  ColumnMask complement() const {
    ColumnMask others = *this;
    for (char& is_finished : others.finished_) is_finished = !is_finished;
    return others;
  }
  /// The columns that are finished in either; a mask for any number of columns adds none.
  ColumnMask operator|(const ColumnMask& other) const {
    if (size() == 0) return other;
    ColumnMask either = *this;
    for (int column = 0; column < other.size(); ++column)
      if (other.is_finished(column)) either.finish(column);
    return either;
  }
  /// The columns that are finished in both.
  ColumnMask operator&(const ColumnMask& other) const {
    ColumnMask both(std::max(size(), other.size()));
    for (int column = 0; column < both.size(); ++column)
      if (is_finished(column) && other.is_finished(column)) both.finish(column);
    return both;
  }

 private:
  detail::OneOrMany<char> finished_;
};

namespace detail {

/// Throws InputError unless the n columns of `what`, a mask or coefficients, are as many as the field has.
inline void require_columns(const std::string& what, std::size_t n, const std::string& field, int n_columns) {
  require(n == std::size_t(n_columns), what, "of", n, "columns came with", field, "which has", n_columns,
          ": give one for each column");
}
/// Throws InputError unless the mask is for as many columns as the field has, or for any number.
inline void require_mask(const ColumnMask& mask, const std::string& field, int n_columns) {
  if (mask.size() > 0) require_columns("a mask", std::size_t(mask.size()), field, n_columns);
}

}  // namespace detail

}  // namespace kov
