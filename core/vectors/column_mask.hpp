// SPDX-License-Identifier: MIT
//
// ColumnMask: the columns of a field that vector algebra skips.
#pragma once

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <vector>

namespace kov {

/// Columns that are finished, such as converged right-hand sides: they are not written and enter no sum.
class ColumnMask {
 public:
  /// No column is finished; fits fields of any number of columns.
  ColumnMask() = default;
  /// n columns, of which none is finished.
  explicit ColumnMask(int n) : finished_(std::size_t(n)) {}
  /// The number of columns that the mask is for; 0: any number.
  int size() const { return int(finished_.size()); }
  /// Marks a column as finished.  Throws InputError if it does not exist.
  void finish(int column) {
    require(column >= 0 && column < size(), "column", column, "of a mask of", size(),
            "columns does not exist: make the mask of as many columns as the field has");
    finished_[std::size_t(column)] = true;
  }
  bool is_finished(int column) const { return size() > 0 && finished_[std::size_t(column)]; }
  /// How many of the size() columns are not finished.
  int n_unfinished() const { return int(std::count(finished_.begin(), finished_.end(), false)); }

 private:
  std::vector<bool> finished_;
};

}  // namespace kov
