// SPDX-License-Identifier: MIT
#include "kov/core/lattice/geometry.hpp"

#include "kov/core/base/error.hpp"

namespace kov {

std::string to_string(const Coord& x) { return sentence(x[0], x[1], x[2], x[3]); }

Coord coordinate(std::int64_t index, const Coord& extent) {
  Coord x;
  for (int mu = 0; mu < 4; ++mu) {
    x[mu] = int(index % extent[mu]);
    index /= extent[mu];
  }
  return x;
}

namespace {

void require_extent(const Coord& extent) {
  for (int mu = 0; mu < 4; ++mu) {
    require(extent[mu] > 0, "lattice extent", to_string(extent), "has no sites: every extent must be positive");
    require(extent[mu] < (1 << 20), "lattice extent", to_string(extent),
            "has 2^20 or more sites in one direction: choose smaller extents");
    require(extent[mu] % 2 == 0, "lattice extent", to_string(extent), "has an odd entry,",
            std::to_string(extent[mu]) + ",", "but even-odd ordering needs even extents in all directions: choose",
            std::to_string(extent[mu] + 1) + (extent[mu] > 1 ? " or " + std::to_string(extent[mu] - 1) : ""));
  }
  // Each is below 2^20, so that two products of two are exact.
  const std::int64_t plane = std::int64_t(extent[0]) * extent[1], other = std::int64_t(extent[2]) * extent[3];
  require(plane <= (std::int64_t(1) << 60) / other, "the lattice", to_string(extent),
          "has more sites than can be counted: no machine holds it");
}

bool can_cut(const Coord& local, int mu, int pieces) {
  return local[mu] % pieces == 0 && (mu != 0 || (local[0] / pieces) % 2 == 0);
}

}  // namespace

Geometry::Geometry(const Coord& extent, const Coord& grid, int rank, int n_ranks) : extent_(extent), grid_(grid) {
  require_extent(extent);
  for (const int entry : grid) require(entry > 0, "process grid", to_string(grid), "must have positive entries");
  require(kov::volume(grid) == n_ranks, "process grid", to_string(grid), "has", kov::volume(grid), "places for",
          n_ranks, "ranks: start as many ranks as the grid has places");
  require(rank >= 0 && rank < n_ranks, "rank", rank, "is not one of", n_ranks, "ranks: they count from 0");
  for (int mu = 0; mu < 4; ++mu)
    require(can_cut(extent, mu, grid[mu]), "process grid", to_string(grid), "does not fit the lattice",
            to_string(extent),
            ": each entry must divide its extent, and leave an even local extent in x. A grid that fits is",
            to_string(choose_grid(extent, n_ranks)));
  local_ = part_of_rank(extent, grid);
  require(kov::volume(local_) < (std::int64_t(1) << 29), "local lattice", to_string(local_),
          "has more sites than one process can index: use more ranks");
  grid_coordinate_ = coordinate(rank, grid);
  for (int mu = 0; mu < 4; ++mu) origin_[mu] = grid_coordinate_[mu] * local_[mu];
}

Coord Geometry::choose_grid(const Coord& extent, int n_ranks) {
  require_extent(extent);
  Coord grid{1, 1, 1, 1}, local = extent;
  int left = n_ranks;
  for (int prime = 2; left > 1; ++prime) {
    while (left % prime == 0) {
      int best = -1;
      for (int mu = 3; mu >= 0; --mu)
        if (can_cut(local, mu, prime) && (best < 0 || local[mu] > local[best])) best = mu;
      require(best >= 0, "no process grid of", n_ranks, "ranks divides the lattice", to_string(extent),
              "with an even local extent in x: use a number of ranks that divides the extents");
      grid[best] *= prime;
      local[best] /= prime;
      left /= prime;
    }
  }
  return grid;
}

int Geometry::neighbour(int mu, int step) const {
  Coord c = grid_coordinate_;
  c[mu] = (c[mu] + step + grid_[mu]) % grid_[mu];
  return int(lexicographic(c, grid_));
}

bool Geometry::owns(const Coord& x) const {
  for (int mu = 0; mu < 4; ++mu)
    if (x[mu] < origin_[mu] || x[mu] >= origin_[mu] + local_[mu]) return false;
  return true;
}

int Geometry::rank_of(const Coord& x) const {
  Coord c;
  for (int mu = 0; mu < 4; ++mu) c[mu] = x[mu] / local_[mu];
  return int(lexicographic(c, grid_));
}

Coord Geometry::global(const Coord& local) const {
  return {local[0] + origin_[0], local[1] + origin_[1], local[2] + origin_[2], local[3] + origin_[3]};
}

Coord Geometry::local(const Coord& global) const {
  return {global[0] - origin_[0], global[1] - origin_[1], global[2] - origin_[2], global[3] - origin_[3]};
}

}  // namespace kov
