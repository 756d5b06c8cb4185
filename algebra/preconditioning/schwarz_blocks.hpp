// SPDX-License-Identifier: MIT
//
// SchwarzBlocks: the blocks of one colour of a lattice, put side by side as a lattice of their own.
#pragma once

#include "kov/core/field/site_map.hpp"
#include "kov/core/lattice/slice_table.hpp"
#include "kov/stencil/functions/operator.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kov {

/// Blocks of a lattice: those whose coordinates, counted in blocks, have an even sum (black), an odd one (white), or
/// all.
enum class BlockColour { black, white, all };

/// The blocks of a colour that this rank has, one after the other in one direction of a lattice that the rank has for
/// itself: operators there send no messages and visit no other block.  Links between blocks are 0 (links()), so that an
/// operator on it is one of all blocks at once, each with Dirichlet boundaries.  A direction in which a block is the
/// whole lattice stays periodic.  Where the extents need an even number of blocks there is an empty one at the end.
class SchwarzBlocks {
 public:
  /// block: the extents of one, even in all directions but one.  In each direction it divides the extent of a rank's
  /// part and is that of the lattice or, for black and white blocks, divides it an even number of times.
  /// Collective.  Throws InputError, on every rank, for other blocks, and for so many on one rank that side by side
  /// they are 2^16 sites long.
  SchwarzBlocks(const Lattice& whole, const Coord& block, BlockColour colour);

  /// Whether this rank has no such block; then there is nothing else to ask for.
  bool empty() const { return !lattice_; }
  /// Of the blocks.
  const Lattice& lattice() const { return *lattice_; }
  /// Takes the lattice of the other blocks where it has the same extents, so that fields on it serve both.
  void share_lattice(const SchwarzBlocks& other);
  /// Block b has the slices b * slices_per_block(), ... in this direction.
  int direction() const { return direction_; }
  int slices_per_block() const { return block_[std::size_t(direction_)]; }
  int n_blocks() const { return lattice_->extent()[std::size_t(direction_)] / slices_per_block(); }

  /// The blocks' sites of a field on the whole lattice; 0 in an empty block.  Through the host.
  template <template <class> class SiteT, class Storage>
  Field<SiteT, Storage> part_of(const Field<SiteT, Storage>& whole) const {
    const Field<SiteT, Storage> part(lattice(), whole.name(), whole.n_components());
    import_sites(part_of(export_sites(whole)), part);
    return part;
  }
  /// The same for links, with 0 in place of those between two blocks.
  template <class S>
  GaugeField<S> links(const GaugeField<S>& gauge) const {
    std::vector<double> numbers = part_of(export_sites(gauge));
    cut(numbers);
    const GaugeField<S> part(lattice(), "links within blocks", 4);
    import_sites(numbers, part);
    return part;
  }

  /// part(x) = whole(x) in the blocks, for every component.  Asynchronous, ordered on exec.
  template <class T>
  void gather(const SpinorField<T>& whole, const SpinorField<T>& part, const Exec& exec = {}) const;
  /// whole(x) = whole(x) + part(x) in the blocks.
  template <class T>
  void add(const SpinorField<T>& part, const SpinorField<T>& whole, const Exec& exec = {}) const;

  /// Minimal residual steps from x = 0 for A x = r in each block and column by itself, see MinimalResidualSteps; A: an
  /// operator on these blocks; x, r and q on all its sites or one parity of them.  r and q are overwritten.  Sends no
  /// message.  Ordered on exec, for which it waits in each step.
  template <class T>
  void minimal_residual(const Operator<SpinorField<T>>& A, int n_steps, double omega, const SpinorField<T>& r,
                        const SpinorField<T>& q, const SpinorField<T>& x, const Exec& exec = {}) const;

 private:
  std::vector<double> part_of(const std::vector<double>& whole) const;
  void cut(std::vector<double>& links) const;

  Coord block_, whole_extent_;
  std::int64_t n_whole_sites_;
  int direction_ = 3;
  std::optional<Lattice> lattice_;
  std::vector<int> sites_;         // [site of the blocks] lexicographic: that site of the rank's part, -1 if empty
  Buffer<int> places_, of_block_;  // [outer * default_lanes + lane]: the place in a field on the whole lattice; block
};

}  // namespace kov
