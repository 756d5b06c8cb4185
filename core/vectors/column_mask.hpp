// SPDX-License-Identifier: MIT
//
// ColumnMask: which columns of a field vector algebra leaves alone.
#pragma once

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <vector>

namespace kov {

/// Columns that are finished, such as converged right-hand sides: they are not written, and count nowhere.
class ColumnMask {
 public:
  /// No column is finished, of however many.
  ColumnMask() = default;
  /// n columns, of which none is finished.
  explicit ColumnMask(int n) : finished_(std::size_t(n)) {}
  /// The columns that the mask is for; 0: however many.
  int size() const { return int(finished_.size()); }
  /// Throws InputError unless there is such a column.
  void finish(int column) {
    require(column >= 0 && column < size(), "column", column, "of a mask of", size(),
            "columns does not exist: make the mask of as many columns as the field has");
    finished_[std::size_t(column)] = true;
  }
  bool is_finished(int column) const { return size() > 0 && finished_[std::size_t(column)]; }
  /// Of size() columns.
  int n_unfinished() const { return int(std::count(finished_.begin(), finished_.end(), false)); }

 private:
  std::vector<bool> finished_;
};

}  // namespace kov
