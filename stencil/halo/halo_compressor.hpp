// SPDX-License-Identifier: MIT
//
// Compressors: what a halo holds of a neighbour on a leg, for operators that need less of it than all.
#pragma once

#include "kov/stencil/neighbour_view.hpp"
#include "kov/stencil/projected_neighbours.hpp"

#include <vector>

namespace kov {

namespace detail {
/// A real number of what is held: real `first` of the site, plus or minus its real `second`.
struct HeldReal {
  int first, second, sign;
};
}  // namespace detail

/// The halo holds whole sites.
struct WholeSites {
  static constexpr bool is_whole = true;
  static constexpr int n_variants = 1;
  static constexpr int variant(bool /*adjoint*/) { return 0; }
  template <template <class> class SiteT, class Storage, class Lanes>
  using Neighbours = NeighbourView<SiteT, Storage, Lanes>;
};

/// The upper two spins of (1 - s g_mu) psi on a leg forward, of (1 + s g_mu) psi on one backward: all that Wilson's hop
/// needs of a spinor, in half the bytes.  The legs are +x -x ... -t, of any lengths.  Sums are rounded here as the
/// hop's kernel rounds them, so that with messages in full precision the bits of results are the same.
struct SpinProjection {
  static constexpr bool is_whole = false;
  template <class T>
  using Held = HalfSpinor<T>;
  template <template <class> class SiteT, class Storage, class Lanes>
  using Neighbours = ProjectedNeighbours<Storage, Lanes>;

  /// s = 1 in variant 0, for the hop; s = -1 in variant 1, for its adjoint.
  static constexpr int n_variants = 2;
  static constexpr int variant(bool adjoint) { return adjoint ? 1 : 0; }
  /// Whether these are such legs.
  static bool fits(const std::vector<Coord>& legs);
  /// What is held on a leg, in the order of HalfSpinor's reals.
  static std::vector<detail::HeldReal> held(int leg, int variant);
};

/// What the halos of Wilson's hop hold of spinors in this storage.  16-bit spinors travel as they are, in 52 bytes:
/// their sums would have to be floats, 48 bytes, or be rounded again.
template <class Storage>
using hop_compressor_t = std::conditional_t<Codec<Spinor, Storage>::is_plain, SpinProjection, WholeSites>;

}  // namespace kov
