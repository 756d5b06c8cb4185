// SPDX-License-Identifier: MIT
//
// GaugeLinks: the links in the form operators read them, behind one LinkView: links(x, near, leg) is the matrix that
// carries the neighbour on that leg to x, with boundary phases.  Doubled on CPUs, single-stored on GPUs.
#pragma once

#include "kov/core/su3.hpp"
#include "kov/stencil/halo.hpp"

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

/// Component 2 mu of a doubled field is U_mu(x), component 2 mu + 1 is adj(U_mu(x - mu)).
template <class T>
class DoubledLinkView {
 public:
  DoubledLinkView() = default;
  explicit DoubledLinkView(const FieldView<ColorMatrix, T, default_lanes>& links) : links_(links) {}

  template <class Site, class Near>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, const Near&, int leg) const {
    return links_(x, leg);
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION SiteInMemory<ColorMatrix, T, default_lanes> read(PackSite x, const Near&, int leg) const {
    return SiteInMemory<ColorMatrix, T, default_lanes>(links_.address(x.outer, leg));
  }
#endif
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int outer, int leg) const { links_.prefetch(outer, leg); }

 private:
  FieldView<ColorMatrix, T, default_lanes> links_;
};

/// Component mu is U_mu(x); a backward leg reads the neighbour's link and takes its adjoint.
template <class T>
class SingleLinkView {
 public:
  SingleLinkView() = default;
  explicit SingleLinkView(const NeighbourView<ColorMatrix, T, default_lanes>& links) : links_(links) {}

  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> operator()(LaneSite x, const Near& near, int leg) const {
    return leg % 2 == 0 ? links_(x, leg / 2) : adj(links_(x, near(leg), leg / 2));
  }
  template <class Site, class Near>
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> read(Site x, const Near& near, int leg) const {
    return (*this)(x, near, leg);
  }

 private:
  NeighbourView<ColorMatrix, T, default_lanes> links_;
};

/// Doubled links of single sites, which all columns of a pack share.
template <class T>
class ColumnLinkView {
 public:
  ColumnLinkView() = default;
  explicit ColumnLinkView(const FieldView<ColorMatrix, T, 1>& links) : links_(links) {}

  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> operator()(ColumnSite x, const Near&, int leg) const {
    return links_(LaneSite{x.outer, 0}, leg);
  }
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> read(ColumnSite x, const Near& near, int leg) const {
    return (*this)(x, near, leg);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int outer, int leg) const { links_.prefetch(outer, leg); }

 private:
  FieldView<ColorMatrix, T, 1> links_;
};

/// What operators on fields read here.
template <class T>
using LinkView = std::conditional_t<has_packs, DoubledLinkView<T>, SingleLinkView<T>>;
/// What operators on blocks of columns read here.
template <class T>
using BlockLinkView = std::conditional_t<has_packs, ColumnLinkView<T>, SingleLinkView<T>>;

/// Links with boundary phases, ready for stencil operators.  Copies share memory.
template <class T>
class GaugeLinks {
 public:
  /// gauge: four components.  Copies what it needs; later changes of gauge do not show.  Collective.
  template <class S>
  explicit GaugeLinks(const GaugeField<S>& gauge, const BoundaryAngles& boundary = {});

  const Lattice& lattice() const { return links_.lattice(); }
  LinkView<T> view() const;
  /// Makes the column form on first use (CPU).
  BlockLinkView<T> block_view() const;

 private:
  GaugeField<T> links_;        // doubled (CPU) or single (GPU), phases multiplied in
  Halo<ColorMatrix, T> halo_;  // of single links, filled once
  NeighbourView<ColorMatrix, T, default_lanes> neighbours_;
  std::shared_ptr<Field<ColorMatrix, T, 1>> columns_;
};

}  // namespace kov
