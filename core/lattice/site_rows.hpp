// SPDX-License-Identifier: MIT
//
// A box of sites in groups of rows: what threads that read or write a file take one after the other.
#pragma once

#include "kov/core/lattice/geometry.hpp"

#include <functional>

namespace kov {

/// Every site of a box is in one row of one group.
struct SiteRows {
  std::int64_t n_groups = 0;
  /// Rows of a group.
  int rows = 1;
  /// Sites of a row; they follow one another in the lexicographic order of the box and of the whole lattice.
  int length = 0;
  /// The local coordinate of the first site of a row.
  std::function<Coord(std::int64_t group, int row)> first;

  /// Sites of a group.
  std::int64_t group_sites() const { return std::int64_t(rows) * length; }
};

/// Groups of one row each, as long as sites follow one another and at most `longest` sites: the groups are in
/// lexicographic order.
SiteRows plain_rows(const Geometry& geometry, std::int64_t longest);

}  // namespace kov
