// SPDX-License-Identifier: MIT
//
// HaloChoice: what one halo does otherwise than its lattice's HaloOptions say.  HaloReader: who reads one.
#pragma once

#include "kov/core/lattice/lattice.hpp"

#include <compare>
#include <optional>
#include <string_view>
#include <vector>

namespace kov {

/// What a halo may do otherwise than the others.
struct HaloChoice {
  /// The precision of messages where it shall not be the lattice's HaloOptions::wire (for matrices: full).
  std::optional<HaloOptions::Wire> wire = {};
  /// The legs, by their number in the stencil, that kernels will read; none: all.  Others send nothing and their part
  /// of the halo stays what it was.
  std::vector<int> legs = {};
  /// What becomes of the neighbours of one parity when only those of the other are exchanged.  Kept: they stay what
  /// they were, and ranks of one host wait for the readers of the exchange before; dropped: they may be anything.
  enum class OtherParity { dropped, kept };
  OtherParity other_parity = OtherParity::dropped;

  friend auto operator<=>(const HaloChoice&, const HaloChoice&) = default;
};

/// A kernel that reads a halo, as far as its best launch depends on it: the sites and components that it writes, and
/// how fields are stored that it reads besides the one with the halo.
struct HaloReader {
  std::string_view kernel;
  Subset sites;
  int results;
  std::string_view codec;
};

/// The legs +x +y +z +t and -x -y -z -t of the nearest neighbours.
inline const std::vector<int> forward_legs{0, 2, 4, 6};
inline const std::vector<int> backward_legs{1, 3, 5, 7};

}  // namespace kov
