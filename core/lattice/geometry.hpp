// SPDX-License-Identifier: MIT
//
// Geometry: the global lattice, the grid of processes over it and this rank's part.  Coordinates only, no memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace kov {

/// (x, y, z, t) of a site, or extents, in units of the lattice spacing; directions 0..3 in this order.  x is the
/// fastest in every lexicographic index.
using Coord = std::array<int, 4>;

/// "8 8 8 16"
std::string to_string(const Coord& x);

/// x + y + z + t modulo 2: 0 on even sites, 1 on odd ones.  Coordinates must not be negative.
inline int parity(const Coord& x) { return (x[0] + x[1] + x[2] + x[3]) & 1; }

/// x[0] + extent[0] * (x[1] + extent[1] * (x[2] + extent[2] * x[3])), for 0 <= x[mu] < extent[mu]; not checked.
inline std::int64_t lexicographic(const Coord& x, const Coord& extent) {
  return x[0] + std::int64_t(extent[0]) * (x[1] + std::int64_t(extent[1]) * (x[2] + std::int64_t(extent[2]) * x[3]));
}

/// The inverse of lexicographic(), for 0 <= index < volume(extent); not checked.
Coord coordinate(std::int64_t index, const Coord& extent);

/// The number of sites: the product of the extents.
inline std::int64_t volume(const Coord& extent) { return std::int64_t(extent[0]) * extent[1] * extent[2] * extent[3]; }

/// The extents of the part that each process of a grid has; the grid must divide them, which is not checked.
inline Coord part_of_rank(const Coord& extent, const Coord& grid) {
  return {extent[0] / grid[0], extent[1] / grid[1], extent[2] / grid[2], extent[3] / grid[3]};
}

/// The global lattice, the grid of processes and the part of one rank.  Global coordinates begin at 0 on the whole
/// lattice, local ones at 0 on the rank's part.  Ranks are numbered lexicographically by their grid coordinates.
class Geometry {
 public:
  /// extent: global, each even, positive and below 2^20; grid: processes in each direction, whose product is n_ranks,
  /// each dividing the extent, leaving an even local extent in x and less than 2^29 local sites; rank: of this process,
  /// from 0.  Throws InputError with what would fit.
  Geometry(const Coord& extent, const Coord& grid, int rank, int n_ranks);

  /// A grid for n_ranks processes: for each prime factor of n_ranks, the smallest first, cuts the longest local
  /// direction that it divides, t before z before y before x where two are equal.  Throws InputError when none fits.
  static Coord choose_grid(const Coord& extent, int n_ranks);

  /// Of the global lattice.
  const Coord& extent() const { return extent_; }
  /// Processes in each direction.
  const Coord& grid() const { return grid_; }
  /// The place of this rank in the grid.
  const Coord& grid_coordinate() const { return grid_coordinate_; }
  /// Of this rank's part: extent / grid, the same on every rank.
  const Coord& local_extent() const { return local_; }
  /// The global coordinate of this rank's first site.
  const Coord& origin() const { return origin_; }
  /// Sites of the global lattice, and of this rank.
  std::int64_t volume() const { return kov::volume(extent_); }
  std::int64_t local_volume() const { return kov::volume(local_); }

  /// The rank next to this one in direction mu, step = +1 or -1; the grid is periodic.
  int neighbour(int mu, int step) const;
  /// Whether the global coordinate x lies on this rank.
  bool owns(const Coord& x) const;
  /// The rank that owns the global coordinate x, 0 <= x[mu] < extent()[mu]; not checked.
  int rank_of(const Coord& x) const;
  /// The global coordinate of a local one of this rank.
  Coord global(const Coord& local) const;
  /// The local coordinate of a global one that this rank owns; not checked.
  Coord local(const Coord& global) const;

 private:
  Coord extent_, grid_, local_{}, origin_{}, grid_coordinate_{};
};

}  // namespace kov
