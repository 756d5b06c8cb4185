// SPDX-License-Identifier: MIT
//
// SliceGather: time slices of a lattice that is spread over ranks, brought to rank 0 for a file.
#pragma once

#include "kov/core/comm/comm.hpp"
#include "kov/core/lattice/geometry.hpp"

#include <span>
#include <vector>

namespace kov {

/// Brings the time slices of all ranks to rank 0, one at a time.
class SliceGather {
 public:
  /// reals: doubles of a site.  piece: the most of them in a message, which MPI limits to 2^31 - 1 bytes.
  SliceGather(const Comm& comm, const Geometry& geometry, int reals, std::size_t piece = std::size_t(8) << 20);

  /// Collective; t: global; mine: this rank's part of the slice [z][y][x][reals], empty when it has none.  The whole
  /// slice on rank 0, nothing elsewhere.
  std::span<const double> operator()(int t, std::span<const double> mine);

 private:
  /// Copies a rank's part of the slice, row by row of x.
  void place(std::span<const double> part, const Geometry& from);

  Comm comm_;
  int reals_;
  std::size_t piece_;
  std::vector<Geometry> ranks_;
  std::vector<double> slice_, received_;
};

}  // namespace kov
