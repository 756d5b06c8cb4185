// SPDX-License-Identifier: MIT
//
// HaloChoice: settings of a single halo.  HaloReader: a kernel that reads a halo; HaloLaunches: how it is launched.
#pragma once

#include "kov/core/lattice/lattice.hpp"
#include "kov/core/lattice/tune.hpp"

#include <array>
#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kov {

/// Settings in which a halo may differ from the others of its lattice.
struct HaloChoice {
  /// The precision of messages.  Not set: the lattice's ExchangeOptions::wire, but full for matrices and compressed
  /// storage.  In full precision every decomposition gives the same bits, but for the hop of 16-bit and 8-bit spinors:
  /// a halo of projected spinors holds sums of two spins, and rounds those.
  std::optional<ExchangeOptions::Wire> wire = {};
  /// The legs that kernels will read, by their number in the stencil; empty: all.  On other legs nothing is sent and
  /// their part of the halo is not updated.
  std::vector<int> legs = {};
  /// What happens to the neighbours of one parity when only those of the other are exchanged.  kept: they keep their
  /// values, and ranks of one host wait until readers have finished with the previous exchange; dropped: they are
  /// undefined.
  enum class OtherParity { dropped, kept };
  OtherParity other_parity = OtherParity::dropped;

  friend auto operator<=>(const HaloChoice&, const HaloChoice&) = default;
};

/// What the fastest launch of a kernel that reads a halo depends on: the sites and number of components (results) that
/// the kernel writes, and how the other fields that it reads are stored (codec).
struct HaloReader {
  std::string_view kernel;
  Subset sites;
  int results;
  std::string_view codec;
};

/// The tuned choices of how such a kernel is launched, and its names.
struct HaloLaunches {
  /// Whether the launch overlaps with the exchange (candidate 1) or comes after it (0).
  std::shared_ptr<Tuner::Choice> overlap;
  /// The shape of a launch that comes after the exchange, and of one that overlaps with it; null if the tuner has no
  /// file.
  std::array<std::shared_ptr<Tuner::Choice>, 2> shape;
  /// Of the two parts of a launch that overlaps: "covariant_laplacian_interior" and "covariant_laplacian_surface".
  std::string interior, surface;
};

/// The legs +x +y +z +t and -x -y -z -t of the nearest neighbours.
inline const std::vector<int> forward_legs{0, 2, 4, 6};
inline const std::vector<int> backward_legs{1, 3, 5, 7};

}  // namespace kov
