// SPDX-License-Identifier: MIT
//
// NeighboursAt: the neighbours of one site, for kernels that sum over legs.
#pragma once

#include "kov/core/field/site_in_memory.hpp"
#include "kov/stencil/stencil.hpp"

namespace kov {

#if !defined(KOKKOS_ENABLE_CUDA)
namespace detail {

/// Whether NeighboursAt decodes the neighbours on all legs before the sums of a kernel exist, in a function that all
/// kernels over such a view share: decoding leg by leg, in each, makes kernels twice as long.
template <class View>
inline constexpr bool decodes_first = requires(const View& view, typename View::Real* to, const PackHop& hop) {
  view.decode(to, hop, 0);
};

/// Copies the neighbour of an outer site to the lanes of a block that begin at p.  half: whether only two spins are
/// read there, upper or lower ones: those that a halo holds are written in both places.
template <class View>
void gather_neighbour(const View& view, const PackHop& hop, int group, typename View::Real* p, bool half) {
  using InMemory = typename View::InMemory;
  constexpr int N = InMemory::lanes, row = View::View::row, n_half = InMemory::n_complex;
  const auto repeat = [&](int lane, int n) {
    for (int k = 0; k < n_half; ++k)
      for (int l = lane; l < lane + n; ++l) p[row * (n_half + k) + l] = p[row * k + l];
  };
  if (!hop.slots) {
    if constexpr (decodes_first<View>) {
      view.decode(p, hop, group);
    } else {
      const InMemory site([&](InMemory& to) { view.locate(to, hop, group); });
      for (int i = 0; i < InMemory::n_complex; ++i) {
        const auto z = site.z(i);
        z.re.store(p + 2 * row * i);
        z.im.store(p + 2 * row * i + row);
      }
    }
    if (half && hop.halo) repeat(0, N);
    return;
  }
  for (int lane = 0; lane < N; ++lane) {
    const int slot = hop.slots[lane] >> 1;
    const LaneHop from{slot / N, slot % N, (hop.slots[lane] & 1) != 0};
    const auto v = view.read(LaneSite{}, from, group);
    for (int i = 0; i < InMemory::n_complex; ++i) {
      p[2 * row * i + lane] = v.z[i].re;
      p[2 * row * i + row + lane] = v.z[i].im;
    }
    if (half && from.halo) repeat(lane, 1);
  }
}

}  // namespace detail
#endif

/// The neighbours of a site on the n_legs legs of a stencil, or the first `used` of them: read(hop, leg), where hop =
/// near(leg); or, on the legs whose bits are set in `halves`, the two spins from `first` on: read_half<first>(hop,
/// leg). View: NeighbourView, ProjectedNeighbours or LocalNeighbours.
template <class View, class Site, int n_legs>
class NeighboursAt {
 public:
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION NeighboursAt(const View& view, Site x, const Near&, int group = 0, int /*used*/ = n_legs,
                                           unsigned /*halves*/ = 0)
      : view_(view), x_(x), group_(group) {}

  template <class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto read(const Hop& hop, int) const {
    return view_.read(x_, hop, group_);
  }
  template <int first, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto read_half(const Hop& hop, int) const {
    return view_.template read_half<first>(x_, hop, group_);
  }

 private:
  const View& view_;
  Site x_;
  int group_;
};

#if !defined(KOKKOS_ENABLE_CUDA)
/// In lattices without virtual nodes the lanes are gathered here, before the sums of a kernel exist: compilers keep
/// these in memory around a call, even one that is not taken.
template <class View, int n_legs>
class NeighboursAt<View, PackSite, n_legs> {
 public:
  using InMemory = typename View::InMemory;

  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION NeighboursAt(const View& view, PackSite, const Near& near, int group = 0,
                                           int used = n_legs, unsigned halves = 0) {
    if (detail::decodes_first<View> || near.gathers()) gather(view, near, group, used, halves, gathered_);
    // After the call, so that these stay in registers.
    view_ = &view;
    group_ = group;
  }

  KOKKOS_FORCEINLINE_FUNCTION InMemory read(const PackHop& hop, int leg) const {
    return InMemory([&](InMemory & site) __attribute__((always_inline)) {
      if constexpr (!detail::decodes_first<View>)
        if (!hop.slots) return view_->locate(site, hop, group_);
      site.point_to(gathered_[leg], gathered_[leg] + InMemory::split_reals);
    });
  }
  template <int first>
  KOKKOS_FORCEINLINE_FUNCTION auto read_half(const PackHop& hop, int leg) const {
    using Half = typename View::HalfInMemory;
    return Half([&](Half & half) __attribute__((always_inline)) {
      if (!hop.slots) return view_->template locate_half<first>(half, hop, group_);
      half.point_to(gathered_[leg] + first * 6 * View::View::row, nullptr);
    });
  }

 private:
  using Blocks = typename View::Real[n_legs][View::View::row * 2 * InMemory::n_complex];

  template <class Near>
  [[gnu::noinline]] static void gather(const View& view, const Near& near, int group, int used, unsigned halves,
                                       Blocks& blocks) {
    for (int leg = 0; leg < used; ++leg)
      detail::gather_neighbour(view, near(leg), group, blocks[leg], (halves >> leg & 1) != 0);
  }

  const View* view_;
  int group_;
  alignas(64) Blocks gathered_;
};

/// Neighbours that are not together are gathered here, for the same reason.
template <class View, int n_legs>
class NeighboursAt<View, PairSite, n_legs> {
 public:
  using InMemory = typename View::PairInMemory;

  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION NeighboursAt(const View& view, PairSite, const Near& near, int group = 0,
                                           int used = n_legs, unsigned halves = 0) {
    if (detail::decodes_first<View> || near.legs_apart() != 0) gather(view, near, group, used, halves, gathered_);
    // After the call, so that these stay in registers.
    view_ = &view;
    group_ = group;
  }

  KOKKOS_FORCEINLINE_FUNCTION InMemory read(const PairHop& hop, int leg) const {
    return InMemory([&](InMemory & sites) __attribute__((always_inline)) {
      if constexpr (!detail::decodes_first<View>)
        if (hop.together()) return view_->locate(sites, hop, group_);
      sites.point_to(gathered_[leg], gathered_[leg] + InMemory::split_reals);
    });
  }
  template <int first>
  KOKKOS_FORCEINLINE_FUNCTION auto read_half(const PairHop& hop, int leg) const {
    using Half = typename View::HalfPairInMemory;
    return Half([&](Half & both) __attribute__((always_inline)) {
      if (hop.together()) return view_->template locate_half<first>(both, hop, group_);
      both.point_to(gathered_[leg] + first * 6 * InMemory::lanes, nullptr);
    });
  }

 private:
  using Blocks = typename View::Real[n_legs][InMemory::lanes * 2 * InMemory::n_complex];

  template <class Near>
  [[gnu::noinline]] static void gather(const View& view, const Near& near, int group, int used, unsigned halves,
                                       Blocks& blocks) {
    for (int leg = 0; leg < used; ++leg) {
      const bool half = (halves >> leg & 1) != 0;
      if (near(leg).together()) {
        if constexpr (detail::decodes_first<View>) view.decode(blocks[leg], near(leg), group);
        continue;
      }
      detail::gather_neighbour(view, near.lower()(leg), group, blocks[leg], half);
      detail::gather_neighbour(view, near.upper()(leg), group, blocks[leg] + InMemory::lanes / 2, half);
    }
  }

  const View* view_;
  int group_;
  alignas(64) Blocks gathered_;
};
#endif

}  // namespace kov
