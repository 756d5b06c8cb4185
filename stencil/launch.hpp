// SPDX-License-Identifier: MIT
//
// What stencil operators share at their launch: halos kept per lattice and shape, views of one component, and whether
// results should go past the caches.
#pragma once

#include "kov/stencil/halo.hpp"

namespace kov {

/// Whether an operator that touches so many bytes streams through memory: then writes past the caches and prefetches
/// pay, while in cache they cost.
inline bool worth_streaming(std::size_t bytes) { return has_packs && bytes > (std::size_t(16) << 20); }

/// The bytes of a stencil operator from in to out, with n_legs doubled links a site of out.
template <class FieldT>
std::size_t operator_bytes(const FieldT& in, const FieldT& out, int n_legs) {
  const std::size_t sites = std::size_t(out.range().n_outer) * out.layout().lanes();
  return (in.n_reals() + out.n_reals() + sites * 18 * std::size_t(n_legs)) * sizeof(typename FieldT::Real);
}

/// The lattice's own halo of this shape; one exchange at a time.
template <template <class> class SiteT, class T>
const Halo<SiteT, T>& halo_for(const Lattice& lattice, int n_components) {
  const std::string key = sentence("halo", SiteT<T>::n_complex, sizeof(T), n_components);
  return lattice.remember<Halo<SiteT, T>>(key, [&] { return Halo<SiteT, T>(lattice, n_components); });
}
template <template <class> class SiteT, class T, int W>
const BlockHalo<SiteT, T, W>& block_halo_for(const Lattice& lattice, int n_columns) {
  const std::string key = sentence("block halo", SiteT<T>::n_complex, sizeof(T), W, n_columns);
  return lattice.remember<BlockHalo<SiteT, T, W>>(key, [&] { return BlockHalo<SiteT, T, W>(lattice, n_columns); });
}

/// Fetches the links and the neighbour of the next outer site on one leg, where packs stream through memory.
template <class Site, class Links, class In>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_next(const Stencil::View& stencil, const Links& links, const In& in, Site x,
                                               int leg) {
  if constexpr (std::is_same_v<Site, PackSite>) {
    links.prefetch(x.outer + 1, leg);
    in.prefetch(stencil.at(Site{x.outer + 1})(leg));
  }
}

/// One component of a field, as kernels that know no components read it.
template <template <class> class SiteT, class T>
struct ComponentView {
  using Real = T;
  FieldView<SiteT, T, default_lanes> view;
  int component;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    return view(x, component);
  }
  template <class Site, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void set(Site x, const Value& v) const {
    view.set(x, v, component);
  }
  template <class Site, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void stream(Site x, const Value& v) const {
    view.stream(x, v, component);
  }
};

/// One component of a field and its halo.
template <template <class> class SiteT, class T>
struct ComponentNeighbours {
  using Real = T;
  NeighbourView<SiteT, T, default_lanes> view;
  int component;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    return view(x, component);
  }
  template <class Site, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, const Hop& hop) const {
    return view(x, hop, component);
  }
  template <class Site, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) read(Site x, const Hop& hop) const {
    return view.read(x, hop, component);
  }
  template <class Hop>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(const Hop& hop) const {
    view.prefetch(hop, component);
  }
};

}  // namespace kov
