// SPDX-License-Identifier: MIT
//
// NeighboursAt: the neighbours of one site, for kernels that sum over legs.
#pragma once

#include "kov/core/field/site_in_memory.hpp"
#include "kov/stencil/stencil.hpp"

namespace kov {

/// The neighbours of a site on the n_legs legs of a stencil: read(hop, leg), where hop = near(leg).  View:
/// NeighbourView or ProjectedNeighbours.
template <class View, class Site, int n_legs>
class NeighboursAt {
 public:
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION NeighboursAt(const View& view, Site x, const Near&, int group = 0)
      : view_(view), x_(x), group_(group) {}

  template <class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto read(const Hop& hop, int) const {
    return view_.read(x_, hop, group_);
  }

 private:
  const View& view_;
  Site x_;
  int group_;
};

#if !defined(KOKKOS_ENABLE_CUDA)
/// In lattices without virtual nodes the lanes are gathered here, before the sums of a kernel exist: compilers keep
/// these in memory around a call, made or not.
template <class View, int n_legs>
class NeighboursAt<View, PackSite, n_legs> {
 public:
  using InMemory = typename View::InMemory;

  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION NeighboursAt(const View& view, PackSite, const Near& near, int group = 0) {
    if (near.gathers()) gather(view, near, group, gathered_);
    // After the call, so that these stay in registers.
    view_ = &view;
    group_ = group;
  }

  KOKKOS_FORCEINLINE_FUNCTION InMemory read(const PackHop& hop, int leg) const {
    return InMemory([&](InMemory & site) __attribute__((always_inline)) {
      if (hop.slots)
        site.lie_at(gathered_[leg], gathered_[leg] + InMemory::split_reals, 0);
      else
        view_->tell(site, hop, group_);
    });
  }

 private:
  using Real = typename View::Real;
  static constexpr int N = InMemory::lanes;
  using Blocks = Real[n_legs][2 * InMemory::n_complex * N];

  template <class Near>
  [[gnu::noinline]] static void gather(const View& view, const Near& near, int group, Blocks& blocks) {
    for (int leg = 0; leg < n_legs; ++leg) {
      const PackHop hop = near(leg);
      for (int lane = 0; lane < N; ++lane) {
        const int slot = hop.slots[lane] >> 1;
        const LaneHop from{slot / N, slot % N, (hop.slots[lane] & 1) != 0};
        const auto v = view.read(LaneSite{}, from, group);
        for (int i = 0; i < InMemory::n_complex; ++i) {
          blocks[leg][2 * N * i + lane] = v.z[i].re;
          blocks[leg][2 * N * i + N + lane] = v.z[i].im;
        }
      }
    }
  }

  const View* view_;
  int group_;
  alignas(64) Blocks gathered_;
};

template <class View, int n_legs>
class NeighboursAt<View, PairSite, n_legs> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION NeighboursAt(const View& view, PairSite x, const Neighbourhood<PairSite>& near,
                                           int group = 0)
      : lower_(view, x.lower, near.lower(), group), upper_(view, x.upper, near.upper(), group) {}

  KOKKOS_FORCEINLINE_FUNCTION PairInMemory<typename View::InMemory> read(const PairHop& hop, int leg) const {
    return {lower_.read(hop.lower, leg), upper_.read(hop.upper, leg)};
  }

 private:
  NeighboursAt<View, PackSite, n_legs> lower_, upper_;
};
#endif

}  // namespace kov
