// SPDX-License-Identifier: MIT
//
// HaloPlan: which sites ranks send each other so that all neighbours of local sites are available.  Lists of slots, no
// data.
#pragma once

#include "kov/core/lattice/lattice.hpp"

#include <array>
#include <string>
#include <vector>

namespace kov {

/// The halo is a field of its own, in blocks of one outer site; all numbers of blocks are multiples of outer_multiple
/// where lanes are sites.  The blocks of a leg hold the neighbours, on that leg, of the sites at this rank's edge:
/// first the even neighbours, then the odd.  In a direction that is cut into lanes, some lanes of a block are local
/// sites; they are copied into the halo, so that kernels read whole blocks.
struct HaloPlan {
  /// The neighbours on one leg that this rank receives from one rank and sends to another.
  struct Face {
    /// Its number in the stencil.
    int leg = 0;
    /// Where from_rank is relative to this rank, in steps of the process grid.
    Coord offset{};
    int to_rank = 0, from_rank = 0;
    /// For each parity of the neighbours: local slots (outer * lanes + lane) whose sites go to the rank that needs
    /// them, in the order of the message.
    std::array<std::vector<int>, 2> send;
    /// Halo slots that the message fills, in the same order.
    std::array<std::vector<int>, 2> receive;
    /// The message's blocks in the message buffers, even then odd: n_blocks[q] from first_block[q] on.
    std::array<int, 2> first_block{}, n_blocks{};
    /// Whether the message can be received directly into the halo, at halo_block[q].
    bool in_place = false;
    std::array<int, 2> halo_block{};
  };
  std::vector<Face> faces;
  /// For each parity: local slots and the halo slots that get a copy of them.
  std::array<std::vector<int>, 2> copy_from, copy_to;
  /// The leg of each block of the halo.
  std::vector<int> block_legs;
  /// Blocks of the halo, and of all messages out of (or into) this rank.
  int n_blocks = 0, n_message_blocks = 0;

  /// Whether a neighbour of a local site is on another rank.
  bool any() const { return n_blocks > 0; }
  /// The same plan in blocks of this many outer sites each; slots keep their numbers.
  HaloPlan in_blocks_of(int outers) const;
};

/// "0 2 4 6"
std::string to_text(const std::vector<int>& numbers);

/// "+x", "-t", "(1 0 0 -2)": the name of a leg, for messages and keys.
std::string leg_name(const Coord& leg);

}  // namespace kov
