// SPDX-License-Identifier: MIT
#include "kov/core/lattice/site_rows.hpp"

namespace kov {

SiteRows plain_rows(const Geometry& geometry, std::int64_t longest) {
  const Coord &box = geometry.local_extent(), &extent = geometry.extent();
  SiteRows rows;
  rows.length = box[0];
  for (int mu = 1; mu < 4 && box[mu - 1] == extent[mu - 1] && std::int64_t(rows.length) * box[mu] <= longest; ++mu)
    rows.length *= box[mu];
  rows.n_groups = geometry.local_volume() / rows.length;
  rows.first = [box, n = std::int64_t(rows.length)](std::int64_t group, int) { return coordinate(group * n, box); };
  return rows;
}

}  // namespace kov
