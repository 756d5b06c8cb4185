// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/laplacian_impl.hpp"

#include <algorithm>

namespace kov::detail {

std::vector<Coord> laplacian_legs(const std::vector<Coord>& legs, Dimensions dimensions) {
  const std::vector<Coord>& all = nearest_neighbours();
  const std::vector<Coord> nearest(all.begin(), all.begin() + 2 * int(dimensions));
  require(legs.size() >= nearest.size() && std::equal(nearest.begin(), nearest.end(), legs.begin()),
          "the Laplacian needs links to the nearest neighbours, and these have other legs: make GaugeLinks of a gauge "
          "field");
  return nearest;
}

#define KOV_INSTANTIATE(T, Lanes)                               \
  template struct LaplacianOn<T, Field<ColorVector, T, Lanes>>; \
  template struct LaplacianOn<T, Field<Spinor, T, Lanes>>
KOV_FOR_LANES_OF_FLOATS(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov::detail
