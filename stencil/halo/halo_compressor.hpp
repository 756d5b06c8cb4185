// SPDX-License-Identifier: MIT
//
// Compressors: what a halo holds of a neighbour, for operators that do not need the whole site.
#pragma once

#include "kov/core/site/spin_basis.hpp"
#include "kov/stencil/neighbour_view.hpp"
#include "kov/stencil/projected_neighbours.hpp"

#include <vector>

namespace kov {

namespace detail {
/// A real number that the halo holds: real `first` of the site plus sign times its real `second`; sign is 1, -1 or 0.
struct HeldReal {
  int first, second, sign;
};
}  // namespace detail

/// The halo holds whole sites.
struct WholeSites {
  /// Whether the halo holds whole sites, what kernels may ask for, and the view of a field with this halo.
  static constexpr bool is_whole = true;
  static constexpr int n_variants = 1;
  static constexpr int variant(bool /*adjoint*/) { return 0; }
  template <template <class> class SiteT, class Storage, class Lanes>
  using Neighbours = NeighbourView<SiteT, Storage, Lanes>;
};

/// The upper two spins of (1 - s g_mu) psi on forward legs, of (1 + s g_mu) psi on backward legs, or of psi the two
/// that a diagonal g_mu leaves: all that Wilson's hop needs of a spinor, in half the bytes.  The legs are +x -x ... -t,
/// of any lengths.  Sums of floats and doubles are rounded as in the hop's kernel, so that results are bitwise the same
/// with messages in full precision.  Those of 16-bit spinors are rounded to 16 bits again, 28 bytes in place of 52 for
/// a spinor or 48 for floats: each is off by at most 2^-16 of the largest that is held of the site, and results depend
/// on the decomposition.
struct SpinProjection {
  /// As of WholeSites; Held: what the halo holds of a site.
  static constexpr bool is_whole = false;
  template <class T>
  using Held = HalfSpinor<T>;
  template <template <class> class SiteT, class Storage, class Lanes>
  using Neighbours = ProjectedNeighbours<Storage, Lanes>;

  /// s = 1 in even variants, for the hop; s = -1 in odd ones, for its adjoint.  Each basis of spin has two.
  static constexpr int n_variants = 4;
  static constexpr int variant(bool adjoint, SpinBasis basis = SpinBasis::chiral) {
    return (basis == SpinBasis::chiral ? 0 : 2) + (adjoint ? 1 : 0);
  }
  /// Whether the legs are +x -x ... -t, of any lengths.
  static bool fits(const std::vector<Coord>& legs);
  /// The reals that are held on a leg, in the order of HalfSpinor.
  static std::vector<detail::HeldReal> held(int leg, int variant);
};

}  // namespace kov
