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

template struct LaplacianOn<float, Field<ColorVector, float>>;
template struct LaplacianOn<float, Field<ColorVector, float, ColumnLanes<4>>>;
template struct LaplacianOn<float, Field<ColorVector, float, ColumnLanes<8>>>;
template struct LaplacianOn<float, Field<ColorVector, float, ColumnLanes<16>>>;
template struct LaplacianOn<float, Field<Spinor, float>>;
template struct LaplacianOn<float, Field<Spinor, float, ColumnLanes<4>>>;
template struct LaplacianOn<float, Field<Spinor, float, ColumnLanes<8>>>;
template struct LaplacianOn<float, Field<Spinor, float, ColumnLanes<16>>>;

}  // namespace kov::detail
