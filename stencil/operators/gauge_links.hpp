// SPDX-License-Identifier: MIT
//
// GaugeLinks: the links in the form operators read them, with boundary phases, behind one LinkView.  Each link is
// stored once; where lanes of a backward link would have to be gathered one by one, and where asked for, twice.
#pragma once

#include "kov/core/site/su3.hpp"
#include "kov/stencil/halo/halo.hpp"

#include <array>
#include <numbers>

namespace kov {

/// psi(x + L_mu) = e^{i angle_mu} psi(x): the phase multiplies the last links in each direction.  0 is periodic, pi is
/// antiperiodic.
struct BoundaryAngles {
  std::array<double, 4> angle{0, 0, 0, 0};

  static BoundaryAngles periodic() { return {}; }
  /// Periodic in space, antiperiodic in time: what fermions want.
  static BoundaryAngles antiperiodic_in_time() { return {{0, 0, 0, std::numbers::pi}}; }
};

/// U_mu(x) is component mu.  A backward leg takes the adjoint of the neighbour's link; where even-odd order would
/// gather it lane by lane, from a field of eight components that has U_mu(x) in 2 mu and U_mu(x - mu) in 2 mu + 1.
#if !defined(KOKKOS_ENABLE_CUDA)
template <class T>
class PackLinkView {
 public:
  using Forward = SiteInMemory<ColorMatrix, T, default_lanes>;
  using Backward = AdjointInMemory<T, default_lanes>;

  PackLinkView() = default;
  PackLinkView(const NeighbourView<ColorMatrix, T>& links, bool doubled) : links_(links), doubled_(doubled) {}

  KOKKOS_FORCEINLINE_FUNCTION Forward forward(PackSite x, int mu) const {
    return Forward(links_.field().address(x.outer, doubled_ ? 2 * mu : mu));
  }
  KOKKOS_FORCEINLINE_FUNCTION Backward backward(PackSite x, const PackHop& hop, int mu) const {
    if (doubled_) return Backward(links_.field().address(x.outer, 2 * mu + 1), 0);
    return Backward(links_.address(hop, mu), hop.exchange);
  }
  /// What leg of x will read.
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(PackSite x, const Near& near, int leg) const {
    if (doubled_)
      links_.field().prefetch(x.outer, leg);
    else if (leg % 2 == 0)
      links_.field().prefetch(x.outer, leg / 2);
    else
      links_.prefetch(near(leg), leg / 2);
  }

 private:
  NeighbourView<ColorMatrix, T> links_;
  bool doubled_ = false;
};
#endif

/// The same, of single lanes.
template <class T>
class SingleLinkView {
 public:
  SingleLinkView() = default;
  explicit SingleLinkView(const NeighbourView<ColorMatrix, T>& links) : links_(links) {}

  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> forward(LaneSite x, int mu) const { return links_(x, mu); }
  template <class Hop>
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> backward(LaneSite x, const Hop& hop, int mu) const {
    return adj(links_(x, hop, mu));
  }

 private:
  NeighbourView<ColorMatrix, T> links_;
};

/// Links of single sites, doubled as above, which all columns of a pack share.
template <class T>
class ColumnLinkView {
 public:
  ColumnLinkView() = default;
  explicit ColumnLinkView(const FieldView<ColorMatrix, T, 1>& links) : links_(links) {}

  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> forward(ColumnSite x, int mu) const {
    return links_(LaneSite{x.outer, 0}, 2 * mu);
  }
  template <class Hop>
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> backward(ColumnSite x, const Hop&, int mu) const {
    return adj(links_(LaneSite{x.outer, 0}, 2 * mu + 1));
  }
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(ColumnSite x, const Near&, int leg) const {
    links_.prefetch(x.outer, leg);
  }

 private:
  FieldView<ColorMatrix, T, 1> links_;
};

#if defined(KOKKOS_ENABLE_CUDA)
/// What operators on fields, and on blocks of columns, read here.
template <class T>
using LinkView = SingleLinkView<T>;
template <class T>
using BlockLinkView = SingleLinkView<T>;
#else
template <class T>
using LinkView = PackLinkView<T>;
template <class T>
using BlockLinkView = ColumnLinkView<T>;
#endif

/// The matrix that carries the neighbour of x on a leg to x: 2 mu forward, 2 mu + 1 backward.
template <bool is_backward, class Links, class Site, class Near>
KOKKOS_FORCEINLINE_FUNCTION auto link_of_leg(const Links& links, Site x, const Near& near, int leg) {
  if constexpr (is_backward)
    return links.backward(x, near(leg), leg / 2);
  else
    return links.forward(x, leg / 2);
}

/// How often a link is in memory.  The bits of results are the same.
enum class LinkStorage {
  /// Once, at the site the link starts from; a backward leg loads the neighbour's link and takes its adjoint.
  once,
  /// At both of its ends, which doubles the memory traffic of operators on the full lattice: faster for few cores with
  /// much bandwidth, slower else (docs/performance.md).  CPUs only; GPUs store links once.
  twice
};

/// Links with boundary phases, ready for stencil operators.  Copies share memory.
template <class T>
class GaugeLinks {
 public:
  /// gauge: four components.  Copies what it needs; later changes of gauge do not show.  Collective.
  template <class S>
  explicit GaugeLinks(const GaugeField<S>& gauge, const BoundaryAngles& boundary = {},
                      LinkStorage storage = LinkStorage::once);

  const Lattice& lattice() const { return links_.lattice(); }
  /// How often a link is in memory, for what is remembered about speeds.
  std::string codec() const { return storage_ == LinkStorage::once ? "links once" : "links twice"; }
  LinkView<T> view() const;
  /// For kernels from one parity to the other, which read no link twice: doubled on CPUs, where a site's links then lie
  /// in a row.  Makes them on first use.
  LinkView<T> parity_view() const;
  /// Makes the column form on first use (CPU).
  BlockLinkView<T> block_view() const;

 private:
  /// Forms that some kernels want, made when first asked for.
  struct OnDemand {
    GaugeField<T> doubled;
    Field<ColorMatrix, T, 1> columns;
  };
  const GaugeField<T>& doubled() const;

  GaugeField<T> links_;        // phases multiplied in
  Halo<ColorMatrix, T> halo_;  // filled once
  NeighbourView<ColorMatrix, T> neighbours_;
  std::shared_ptr<OnDemand> forms_;
  LinkStorage storage_;
};

}  // namespace kov
