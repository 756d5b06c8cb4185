// SPDX-License-Identifier: MIT
//
// FieldView: a field in kernels.  v(x) is SiteT<Pack<R, N>> for a PackSite, SiteT<Pack<R, 2 N>> for a PairSite and
// SiteT<R> for a LaneSite, where R is what kernels compute in, however the field is stored.
#pragma once

#include "kov/core/field/codec.hpp"
#include "kov/core/field/site_in_memory.hpp"
#include "kov/core/field/view_extents.hpp"
#include "kov/core/lattice/lanes.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kov {

namespace detail {
/// Sites of Part that the numbers of a site of SiteT are: a spinor is four colour vectors, in memory too.
template <template <class> class Part, template <class> class SiteT>
inline constexpr int parts_of = SiteT<double>::n_complex / Part<double>::n_complex;
}  // namespace detail

/// The components of a site are in groups that share a block of memory: one component per group where lanes are sites
/// (and on GPUs), W columns where lanes are columns.  Kernels number groups, not components.
template <template <class> class SiteT, class Storage, class Lanes = SiteLanes>
class FieldView : private detail::ViewExtents<detail::checks_bounds> {
 public:
  using Codec = kov::Codec<SiteT, Storage>;
  using Real = typename Codec::Real;
  using Stored = typename Codec::Stored;
  static constexpr int n_complex = SiteT<Real>::n_complex, lanes = Lanes::lanes;
  /// Outer sites of a block, one after the other in its lanes.
  static constexpr int outers = outers_of_block<Lanes, Real>;
  /// Lanes of a block, and its stored numbers.
  static constexpr int row = outers * lanes, block = row * Codec::n_stored;
  static constexpr bool holds_columns = Lanes::holds_columns;

  FieldView() = default;
  /// data: group 0 of outer site `first`, which begins a block; stride: blocks from one pair, where two outer sites
  /// share them, or outer site to the next.
  KOKKOS_FORCEINLINE_FUNCTION FieldView(Stored* data, int first, int stride)
      : data_(data), first_(first), stride_(stride) {}

  /// The block of an outer site.
  KOKKOS_FORCEINLINE_FUNCTION Stored* address(int outer, int group) const {
    this->check(outer, group);
    return unchecked_address(outer, group);
  }
  /// The same without a bounds check; the block need not exist.
  KOKKOS_FORCEINLINE_FUNCTION Stored* unchecked_address(int outer, int group) const {
    const int b = outers == 1 ? outer - first_ : (outer - first_) >> 1;
    return data_ + (std::ptrdiff_t(b) * stride_ + group) * block;
  }
  /// The block of the pair, both of whose sites must be valid.
  KOKKOS_FORCEINLINE_FUNCTION Stored* address(PairSite x, int group) const {
    this->check(x.outer, group);
    this->check(x.outer + 1, group);
    return unchecked_address(x.outer, group);
  }
  /// The lane of the block where an outer site begins.
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int first_lane(int outer) {
    return outers == 1 ? 0 : (outer & 1) * lanes;
  }

  /// For builds that check bounds: sets the valid outer sites and groups, and the field's name for errors.  Without
  /// this call every access passes.
  void set_extents(int n_outer, int n_groups, std::string_view name) {
    this->limit(first_, n_outer, n_groups, lanes, name);
  }
  KOKKOS_FORCEINLINE_FUNCTION void require_inside(int outer, int group, int lane) const {
    this->check(outer, group, lane);
  }
  /// For other views of the same memory.
  const detail::ViewExtents<detail::checks_bounds>& extents() const { return *this; }

#if !defined(KOKKOS_ENABLE_CUDA)
  using PackReal = Pack<Real, lanes>;
  using PackValue = SiteT<PackReal>;
  using PairValue = SiteT<Pack<Real, 2 * lanes>>;
  /// What kernels over packs get: all lanes of an outer site, or all columns of a group.
  using PacksSite = std::conditional_t<holds_columns, ColumnSite, PackSite>;
  /// Complex numbers of a site before those that its codec computes from them, if it does that: see Codec.
  static constexpr int split = [] {
    if constexpr (requires { Codec::rest_after; })
      return Codec::rest_after;
    else
      return n_complex;
  }();
  /// What read() and views of neighbours give: element() loads a number when it is asked for.
  using InMemory = SiteInMemory<SiteT, Real, lanes, row, split>;
  using PairInMemory = SiteInMemory<SiteT, Real, 2 * lanes, 2 * lanes, split>;

  /// Makes `site` refer to this one, as read() does, with lanes exchanged as LaneExchange takes it.
  template <class Exchange>
  KOKKOS_FORCEINLINE_FUNCTION void locate(InMemory& site, PackSite x, int group, Exchange exchange) const {
    locate_at(site, x, address(x.outer, group) + first_lane(x.outer), group, exchange);
  }
  template <class Exchange>
  KOKKOS_FORCEINLINE_FUNCTION void locate(PairInMemory& sites, PairSite x, int group, Exchange exchange) const {
    locate_at(sites, x, address(x, group), group, exchange);
  }

  KOKKOS_FORCEINLINE_FUNCTION PackValue operator()(PacksSite x, int group = 0) const {
    return Codec::template load<lanes, row>(address(x.outer, group), first_lane(x.outer));
  }
  KOKKOS_FORCEINLINE_FUNCTION PairValue operator()(PairSite x, int group = 0) const requires(outers == 2) {
    return Codec::template load<row, row>(address(x, group), 0);
  }
  /// With lanes exchanged: exchange is what LaneExchange takes.
  KOKKOS_FORCEINLINE_FUNCTION PackValue operator()(PackSite x, int group, int exchange) const {
    return exchanged((*this)(x, group), exchange);
  }
  KOKKOS_FORCEINLINE_FUNCTION PairValue operator()(PairSite x, int group, HalvesExchange exchange) const
      requires(outers == 2) {
    return exchanged((*this)(x, group), exchange);
  }

  /// Prefetches a block that a later site will read, into the second-level cache: a site and its neighbours already
  /// fill the first.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int outer, int group) const {
    const char* p = reinterpret_cast<const char*>(unchecked_address(outer, group));
    for (int k = 0; k < int(block * sizeof(Stored)); k += 64) __builtin_prefetch(p + k, 0, 2);
  }
  /// The same for n complex numbers of it, from z[i] on.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int outer, int group, int i, int n) const requires(Codec::is_plain) {
    const char* p = reinterpret_cast<const char*>(unchecked_address(outer, group) + 2 * row * i);
    for (int k = 0; k < int(2 * row * n * sizeof(Stored)); k += 64) __builtin_prefetch(p + k, 0, 2);
  }

  KOKKOS_FORCEINLINE_FUNCTION void set(PacksSite x, const PackValue& v, int group = 0) const {
    Codec::template store<lanes, row>(address(x.outer, group), first_lane(x.outer), v);
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(PairSite x, const PairValue& v, int group = 0) const requires(outers == 2) {
    Codec::template store<row, row>(address(x, group), 0, v);
  }
  /// operator(), but loaded from memory where it is used.
  KOKKOS_FORCEINLINE_FUNCTION InMemory read(PacksSite x, int group = 0) const {
    if constexpr (Codec::is_plain)
      return InMemory(address(x.outer, group) + first_lane(x.outer));
    else
      return InMemory([&](InMemory & site) __attribute__((always_inline)) {
        locate_at(site, x, address(x.outer, group) + first_lane(x.outer), group, 0);
      });
  }
  /// z[i] of the site that operator() returns, without loading the rest.
  KOKKOS_FORCEINLINE_FUNCTION Complex<PackReal> element(PacksSite x, int group, int i) const {
    if constexpr (Codec::is_plain)
      return detail::load_pack<lanes, row>(address(x.outer, group) + first_lane(x.outer), i);
    else
      return (*this)(x, group).z[i];
  }
  KOKKOS_FORCEINLINE_FUNCTION auto element(PairSite x, int group, int i) const requires(outers == 2) {
    if constexpr (Codec::is_plain)
      return detail::load_pack<row, row>(address(x, group), i);
    else
      return (*this)(x, group).z[i];
  }
  /// Sets z[i] of a site; stream_element() with stores that bypass the caches, for rows of whole cache lines.
  KOKKOS_FORCEINLINE_FUNCTION void set_element(PacksSite x, int group, int i, const Complex<PackReal>& z) const
      requires(Codec::is_plain) {
    detail::store_pack<lanes, row>(address(x.outer, group) + first_lane(x.outer), i, z);
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_element(PairSite x, int group, int i, const Complex<Pack<Real, row>>& z) const
      requires(Codec::is_plain&& outers == 2) {
    detail::store_pack<row, row>(address(x, group), i, z);
  }
  KOKKOS_FORCEINLINE_FUNCTION void stream_element(PacksSite x, int group, int i, const Complex<PackReal>& z) const
      requires(Codec::is_plain&& outers == 1) {
    detail::stream_pack<lanes>(address(x.outer, group), i, z);
  }
  KOKKOS_FORCEINLINE_FUNCTION void stream_element(PairSite x, int group, int i, const Complex<Pack<Real, row>>& z) const
      requires(Codec::is_plain&& outers == 2) {
    detail::stream_pack<row>(address(x, group), i, z);
  }
  /// set() with stores that bypass the caches, if the site fills a block: parts of cache lines are slower that way.
  KOKKOS_FORCEINLINE_FUNCTION void stream(PacksSite x, const PackValue& v, int group = 0) const {
    if constexpr (Codec::is_plain && outers == 1)
      stream_block(address(x.outer, group), v);
    else
      set(x, v, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION void stream(PairSite x, const PairValue& v, int group = 0) const requires(outers == 2) {
    if constexpr (Codec::is_plain)
      stream_block(address(x, group), v);
    else
      set(x, v, group);
  }
#endif

  KOKKOS_FORCEINLINE_FUNCTION SiteT<Real> operator()(LaneSite x, int group = 0) const {
    return load_lane(lane_address(x, group), x);
  }
  /// The lane of x in the block at p.
  static KOKKOS_FORCEINLINE_FUNCTION SiteT<Real> load_lane(const Stored* p, LaneSite x) {
    return Codec::template load_lane<row>(p, first_lane(x.outer) + x.lane);
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<Real> element(LaneSite x, int group, int i) const {
    if constexpr (Codec::is_plain)
      return detail::load_complex<row>(lane_address(x, group), i, first_lane(x.outer) + x.lane);
    else
      return (*this)(x, group).z[i];
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(LaneSite x, const SiteT<Real>& v, int group = 0) const {
    Codec::template store_lane<row>(lane_address(x, group), first_lane(x.outer) + x.lane, v);
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_element(LaneSite x, int group, int i, const Complex<Real>& z) const
      requires(Codec::is_plain) {
    detail::store_complex<row>(lane_address(x, group), i, first_lane(x.outer) + x.lane, z);
  }
  KOKKOS_FORCEINLINE_FUNCTION void stream(LaneSite x, const SiteT<Real>& v, int group = 0) const {
#if defined(__CUDA_ARCH__)
    if constexpr (Codec::is_plain) {
      using Pair = std::conditional_t<sizeof(Real) == 4, float2, double2>;
      Pair* const p = reinterpret_cast<Pair*>(address(x.outer, group));
      for (int i = 0; i < n_complex; ++i) __stcs(p + lanes * i + x.lane, Pair{v.z[i].re, v.z[i].im});
      return;
    }
#endif
    set(x, v, group);
  }

 private:
#if !defined(KOKKOS_ENABLE_CUDA)
  template <class R, class Exchange>
  static KOKKOS_FORCEINLINE_FUNCTION SiteT<R> exchanged(SiteT<R> v, Exchange exchange) {
    if (exchanges_lanes(exchange)) {
      const LaneExchange<Real, int(sizeof(R) / sizeof(Real))> lanes_of(exchange);
      for (auto& z : v.z) z = {lanes_of(z.re), lanes_of(z.im)};
    }
    return v;
  }
  /// p: the first number in memory.
  template <class Sites, class Site, class Exchange>
  KOKKOS_FORCEINLINE_FUNCTION void locate_at(Sites& sites, Site x, const Stored* p, int group,
                                             Exchange exchange) const {
    if constexpr (Codec::is_plain)
      sites.point_to(p, nullptr, exchange);
    else if constexpr (split < n_complex)
      sites.point_and_fill(
          p, [&](Real * to) __attribute__((always_inline)) { Codec::template rest<Sites::lanes, row>(p, to); },
          exchange);
    else
      sites.copy_from((*this)(x, group), exchange);
  }
  template <class Value>
  static KOKKOS_FORCEINLINE_FUNCTION void stream_block(Stored* p, const Value& v) {
    unroll<n_complex>([&](int i) __attribute__((always_inline)) { detail::stream_pack<row>(p, i, v.z[i]); });
  }
#endif
  KOKKOS_FORCEINLINE_FUNCTION Stored* lane_address(LaneSite x, int group) const {
    this->check(x.outer, group, x.lane);
    return unchecked_address(x.outer, group);
  }

  Stored* data_ = nullptr;
  int first_ = 0, stride_ = 0;
};

/// view.stream(x, v, group) if `streaming`, else view.set(x, v, group).
template <class View, class Site, class Value>
KOKKOS_FORCEINLINE_FUNCTION void set_or_stream(const View& view, Site x, const Value& v, int group, bool streaming) {
  if (streaming)
    view.stream(x, v, group);
  else
    view.set(x, v, group);
}

}  // namespace kov
