// SPDX-License-Identifier: MIT
//
// Geometry: the global lattice, the grid of processes over it and this rank's part.  Coordinates only, no memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace kov {

/// (x, y, z, t); directions 0..3 in this order; x is the fastest in every lexicographic index.
using Coord = std::array<int, 4>;

/// "8 8 8 16"
std::string to_string(const Coord& x);

/// x + y over all directions, modulo 2.
inline int parity(const Coord& x) { return (x[0] + x[1] + x[2] + x[3]) & 1; }

/// x[0] + extent[0] * (x[1] + extent[1] * (x[2] + extent[2] * x[3])).
inline std::int64_t lexicographic(const Coord& x, const Coord& extent) {
  return x[0] + std::int64_t(extent[0]) * (x[1] + std::int64_t(extent[1]) * (x[2] + std::int64_t(extent[2]) * x[3]));
}

/// The inverse of lexicographic().
Coord coordinate(std::int64_t index, const Coord& extent);

/// The product of the extents.
inline std::int64_t volume(const Coord& extent) { return std::int64_t(extent[0]) * extent[1] * extent[2] * extent[3]; }

/// The global lattice, the grid of processes and the part of one rank.
class Geometry {
 public:
  /// extent: global, every one even and positive; grid: processes in each direction, whose product is n_ranks, each
  /// dividing the extent, leaving an even local extent in x.  Throws InputError with what would fit.
  Geometry(const Coord& extent, const Coord& grid, int rank, int n_ranks);

  /// A grid for n_ranks processes: cuts the longest local direction, t before z before y before x.  Throws InputError
  /// when none fits.
  static Coord choose_grid(const Coord& extent, int n_ranks);

  const Coord& extent() const { return extent_; }
  const Coord& grid() const { return grid_; }
  const Coord& grid_coordinate() const { return grid_coordinate_; }
  const Coord& local_extent() const { return local_; }
  /// The global coordinate of this rank's first site.
  const Coord& origin() const { return origin_; }
  std::int64_t volume() const { return kov::volume(extent_); }
  std::int64_t local_volume() const { return kov::volume(local_); }

  /// The rank next to this one in direction mu, step = +1 or -1, periodic.
  int neighbour(int mu, int step) const;
  /// Whether the global coordinate x lies on this rank.
  bool owns(const Coord& x) const;
  int rank_of(const Coord& x) const;
  Coord global(const Coord& local) const;
  /// Only for coordinates that this rank owns.
  Coord local(const Coord& global) const;

 private:
  Coord extent_, grid_, local_{}, origin_{}, grid_coordinate_{};
};

}  // namespace kov
