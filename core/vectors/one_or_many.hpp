// SPDX-License-Identifier: MIT
//
// A few values, of which a single one needs no memory of its own: what ByColumn and ColumnMask are made of, so that
// solvers of one column allocate nothing in an iteration.  Not for users.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kov::detail {

/// As std::vector<T> of a size that stays what it was constructed with.
template <class T>
class OneOrMany {
 public:
  OneOrMany() = default;
  OneOrMany(std::size_t n, const T& value) : size_(n), one_(value), many_(n > 1 ? n : 0, value) {}

  std::size_t size() const { return size_; }
  T* begin() { return size_ > 1 ? many_.data() : &one_; }
  T* end() { return begin() + size_; }
  const T* begin() const { return size_ > 1 ? many_.data() : &one_; }
  const T* end() const { return begin() + size_; }
  bool operator==(const OneOrMany& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

 private:
  std::size_t size_ = 0;
  T one_{};
  std::vector<T> many_;
};

}  // namespace kov::detail
