// SPDX-License-Identifier: MIT
//
// FieldView: the covariant view.  v(x) is SiteT<Pack<T, N>> for a PackSite and SiteT<T> for a LaneSite.
#pragma once

#include "kov/core/field/view_extents.hpp"
#include "kov/core/lattice/site.hpp"
#include "kov/core/site/color_spin.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kov {

namespace detail {
template <class T>
struct alignas(2 * sizeof(T)) StoredComplex {
  T re, im;
};
}  // namespace detail

/// Where a neighbour is, as a kernel over PackSites sees it: an outer site whose lanes pair up by `exchange`, or, where
/// slots is set, one slot (outer * N + lane) << 1 | halo for each lane.
struct PackHop {
  int outer;
  int exchange;
  bool halo;
  const std::int32_t* slots;
};
/// The same for kernels over single lanes, and for columns (lane 0).
struct LaneHop {
  int outer;
  int lane;
  bool halo;
};
/// A LaneHop that does not lead into a halo.
struct LocalHop {
  int outer;
  int lane;
};

/// Storage is [outer][component][complex][re|im][lane] where packs exist, so that a CPU loads whole registers, and
/// [outer][component][complex][lane][re|im] elsewhere, so that a GPU warp loads consecutive complex numbers.
template <template <class> class SiteT, class T, int N = default_lanes>
class FieldView : private detail::ViewExtents<detail::checks_bounds> {
 public:
  using Real = T;
  static constexpr int n_complex = SiteT<T>::n_complex;
  static constexpr int block = 2 * N * n_complex;
  static constexpr bool split = has_packs, holds_columns = false;

  FieldView() = default;
  /// data: component 0 of outer site `first`; stride: components from one outer site to the next.
  KOKKOS_FORCEINLINE_FUNCTION FieldView(T* data, int first, int stride) : data_(data), first_(first), stride_(stride) {}

  /// The block of an outer site.
  KOKKOS_FORCEINLINE_FUNCTION T* address(int outer, int component) const {
    this->check(outer, component);
    return unchecked_address(outer, component);
  }
  /// Where the block would be, whether or not there is one.
  KOKKOS_FORCEINLINE_FUNCTION T* unchecked_address(int outer, int component) const {
    return data_ + (std::ptrdiff_t(outer - first_) * stride_ + component) * block;
  }

  /// For builds that check bounds: the sites and components that there are, and whose they are.  Without it everything
  /// passes.
  void set_extents(int n_outer, int n_components, std::string_view name) {
    this->limit(first_, n_outer, n_components, N, name);
  }
  KOKKOS_FORCEINLINE_FUNCTION void require_inside(int outer, int component, int lane) const {
    this->check(outer, component, lane);
  }

#if !defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_FORCEINLINE_FUNCTION SiteT<Pack<T, N>> operator()(PackSite x, int component = 0) const {
    return load<0>(x.outer, component);
  }

  /// Prefetches a block that a later site will read, into the second-level cache: a site and its neighbours already
  /// fill the first.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int outer, int component) const {
    const char* p = reinterpret_cast<const char*>(unchecked_address(outer, component));
    for (int k = 0; k < int(block * sizeof(T)); k += 64) __builtin_prefetch(p + k, 0, 2);
  }

  /// Lane i of the result is lane i ^ mask in memory.
  template <int mask>
  KOKKOS_FORCEINLINE_FUNCTION SiteT<Pack<T, N>> load(int outer, int component) const {
    const T* p = address(outer, component);
    SiteT<Pack<T, N>> r;
    unroll<n_complex>([&](int i) __attribute__((always_inline)) {
      r.z[i].re = exchange_lanes<mask>(Pack<T, N>::load(p + 2 * N * i));
      r.z[i].im = exchange_lanes<mask>(Pack<T, N>::load(p + 2 * N * i + N));
    });
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(PackSite x, const SiteT<Pack<T, N>>& v, int component = 0) const {
    T* p = address(x.outer, component);
    unroll<n_complex>([&](int i) __attribute__((always_inline)) {
      v.z[i].re.store(p + 2 * N * i);
      v.z[i].im.store(p + 2 * N * i + N);
    });
  }
  /// z[i] of what operator() returns, without the rest.
  KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> element(PackSite x, int component, int i) const {
    const T* p = address(x.outer, component) + 2 * N * i;
    return {Pack<T, N>::load(p), Pack<T, N>::load(p + N)};
  }
  /// set() past the caches.
  KOKKOS_FORCEINLINE_FUNCTION void stream(PackSite x, const SiteT<Pack<T, N>>& v, int component = 0) const {
    T* p = address(x.outer, component);
    unroll<n_complex>([&](int i) __attribute__((always_inline)) {
      v.z[i].re.stream(p + 2 * N * i);
      v.z[i].im.stream(p + 2 * N * i + N);
    });
  }
#endif

  KOKKOS_FORCEINLINE_FUNCTION SiteT<T> operator()(LaneSite x, int component = 0) const {
    return load_lane(lane_address(x, component), x.lane);
  }
  /// One lane of the block at p.
  static KOKKOS_FORCEINLINE_FUNCTION SiteT<T> load_lane(const T* p, int lane) {
    SiteT<T> r;
    for (int i = 0; i < n_complex; ++i) {
      if constexpr (split) {
        r.z[i] = {p[2 * N * i + lane], p[2 * N * i + N + lane]};
      } else {
        const auto z = reinterpret_cast<const detail::StoredComplex<T>*>(p)[N * i + lane];
        r.z[i] = {z.re, z.im};
      }
    }
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<T> element(LaneSite x, int component, int i) const {
    const T* p = lane_address(x, component);
    if constexpr (split) {
      return {p[2 * N * i + x.lane], p[2 * N * i + N + x.lane]};
    } else {
      const auto z = reinterpret_cast<const detail::StoredComplex<T>*>(p)[N * i + x.lane];
      return {z.re, z.im};
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(LaneSite x, const SiteT<T>& v, int component = 0) const {
    T* p = lane_address(x, component);
    for (int i = 0; i < n_complex; ++i) {
      if constexpr (split) {
        p[2 * N * i + x.lane] = v.z[i].re;
        p[2 * N * i + N + x.lane] = v.z[i].im;
      } else {
        reinterpret_cast<detail::StoredComplex<T>*>(p)[N * i + x.lane] = {v.z[i].re, v.z[i].im};
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void stream(LaneSite x, const SiteT<T>& v, int component = 0) const {
#if defined(__CUDA_ARCH__)
    using Pair = std::conditional_t<sizeof(T) == 4, float2, double2>;
    Pair* const p = reinterpret_cast<Pair*>(address(x.outer, component));
    for (int i = 0; i < n_complex; ++i) __stcs(p + N * i + x.lane, Pair{v.z[i].re, v.z[i].im});
#else
    set(x, v, component);
#endif
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION T* lane_address(LaneSite x, int component) const {
    this->check(x.outer, component, x.lane);
    return unchecked_address(x.outer, component);
  }

  T* data_ = nullptr;
  int first_ = 0, stride_ = 0;
};

#if !defined(KOKKOS_ENABLE_CUDA)
/// A site that is read from memory where it is used: what the hottest kernels take instead of a value, because a spinor
/// of packs does not fit into the registers beside their sums.  Lives no longer than the statement that made it.
template <template <class> class SiteT, class T, int N>
class SiteInMemory {
 public:
  static constexpr int n_complex = SiteT<T>::n_complex;

  KOKKOS_FORCEINLINE_FUNCTION explicit SiteInMemory(const T* p) : p_(p) {}
  /// Lane i is lane i ^ exchange of p.
  KOKKOS_FORCEINLINE_FUNCTION SiteInMemory(const T* p, int exchange) : p_(p) {
    // Legs along one direction exchange one bit; others come here twice or three times.
    if (exchange & 1) permute<1 % N>();
    if (exchange & 2) permute<2 % N>();
    if (exchange & 4) permute<4 % N>();
    forget();
  }
  /// Keeps a gathered value.
  KOKKOS_FORCEINLINE_FUNCTION explicit SiteInMemory(const SiteT<Pack<T, N>>& v) : p_(permuted_) {
    for (int i = 0; i < n_complex; ++i) {
      v.z[i].re.store(permuted_ + 2 * N * i);
      v.z[i].im.store(permuted_ + 2 * N * i + N);
    }
    forget();
  }
  SiteInMemory(const SiteInMemory&) = delete;
  SiteInMemory& operator=(const SiteInMemory&) = delete;

  KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> z(int i) const {
    return {Pack<T, N>::load_now(p_ + 2 * N * i), Pack<T, N>::load_now(p_ + 2 * N * i + N)};
  }

 private:
  template <int mask>
  KOKKOS_FORCEINLINE_FUNCTION void permute() {
    for (int k = 0; k < 2 * n_complex; ++k) exchange_lanes<mask>(Pack<T, N>::load(p_ + N * k)).store(permuted_ + N * k);
    p_ = permuted_;
  }

  /// Hides from the compiler where the site lies: knowing that lanes were just permuted, it holds all of them in
  /// registers that it has not, and copies them from stack to stack.
  KOKKOS_FORCEINLINE_FUNCTION void forget() { asm volatile("" : "+r"(p_), "+m"(permuted_)); }

  const T* p_;
  alignas(64) T permuted_[2 * N * n_complex];
};

template <template <class> class SiteT, class T, int N>
KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> element(const SiteInMemory<SiteT, T, N>& site, int i) {
  return site.z(i);
}

/// The adjoint of a colour matrix in memory.
template <class T, int N>
class AdjointInMemory {
 public:
  KOKKOS_FORCEINLINE_FUNCTION AdjointInMemory(const T* p, int exchange) : u_(p, exchange) {}
  KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> z(int i) const { return conj(u_.z(3 * (i % 3) + i / 3)); }

 private:
  SiteInMemory<ColorMatrix, T, N> u_;
};

template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> element(const AdjointInMemory<T, N>& u, int i) {
  return u.z(i);
}
#endif

/// A field together with the halo of its neighbours: v(x) as FieldView, v(x, hop) one leg away.
template <template <class> class SiteT, class T, int N = default_lanes>
class NeighbourView {
 public:
  using Real = T;
  using View = FieldView<SiteT, T, N>;
  static constexpr int n_complex = View::n_complex;

  NeighbourView() = default;
  KOKKOS_FORCEINLINE_FUNCTION NeighbourView(const View& field, const View& halo) : field_(field), halo_(halo) {}

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int component = 0) const {
    return field_(x, component);
  }
  /// Chooses an address, not a branch: the loads of all legs can then be on their way at the same time.
  KOKKOS_FORCEINLINE_FUNCTION SiteT<T> operator()(LaneSite, LaneHop hop, int component = 0) const {
    const T* const there = halo_.unchecked_address(hop.outer, component);
    const T* const here = field_.unchecked_address(hop.outer, component);
    if constexpr (detail::checks_bounds) (hop.halo ? halo_ : field_).require_inside(hop.outer, component, hop.lane);
    return View::load_lane(hop.halo ? there : here, hop.lane);
  }
  KOKKOS_FORCEINLINE_FUNCTION SiteT<T> operator()(LaneSite, LocalHop hop, int component = 0) const {
    return field_(LaneSite{hop.outer, hop.lane}, component);
  }
  KOKKOS_FORCEINLINE_FUNCTION const View& field() const { return field_; }
  KOKKOS_FORCEINLINE_FUNCTION const View& halo() const { return halo_; }
  /// v(x, hop), or a SiteInMemory of it: for kernels that read each element once, through element().
  template <class Hop>
  KOKKOS_FORCEINLINE_FUNCTION SiteT<T> read(LaneSite x, const Hop& hop, int component = 0) const {
    return (*this)(x, hop, component);
  }

#if !defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_FORCEINLINE_FUNCTION SiteInMemory<SiteT, T, N> read(PackSite, const PackHop& hop, int component = 0) const {
    if (hop.slots) return SiteInMemory<SiteT, T, N>(gather(hop.slots, component));
    return SiteInMemory<SiteT, T, N>(address(hop, component), hop.exchange);
  }
  /// Where the neighbour lies, but for the order of its lanes; not of slots.
  KOKKOS_FORCEINLINE_FUNCTION const T* address(const PackHop& hop, int component) const {
    return (hop.halo ? halo_ : field_).address(hop.outer, component);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(const PackHop& hop, int component) const {
    if (!hop.slots) (hop.halo ? halo_ : field_).prefetch(hop.outer, component);
  }
  KOKKOS_FORCEINLINE_FUNCTION SiteT<Pack<T, N>> operator()(PackSite, const PackHop& hop, int component = 0) const {
    if (hop.slots) return gather(hop.slots, component);
    const View& from = hop.halo ? halo_ : field_;
    switch (hop.exchange) {
      case 0:
        return from.template load<0>(hop.outer, component);
      case 1:
        return from.template load<1 % N>(hop.outer, component);
      case 2:
        return from.template load<2 % N>(hop.outer, component);
      case 3:
        return from.template load<3 % N>(hop.outer, component);
      case 4:
        return from.template load<4 % N>(hop.outer, component);
      case 5:
        return from.template load<5 % N>(hop.outer, component);
      case 6:
        return from.template load<6 % N>(hop.outer, component);
      default:
        return from.template load<7 % N>(hop.outer, component);
    }
  }

 private:
  SiteT<Pack<T, N>> gather(const std::int32_t* slots, int component) const {
    SiteT<Pack<T, N>> r;
    alignas(64) T re[N], im[N];
    const T* p[N];
    for (int lane = 0; lane < N; ++lane) {
      const int slot = slots[lane] >> 1;
      p[lane] = (slots[lane] & 1 ? halo_ : field_).address(slot / N, component) + slot % N;
    }
    for (int i = 0; i < n_complex; ++i) {
      for (int lane = 0; lane < N; ++lane) {
        re[lane] = p[lane][2 * N * i];
        im[lane] = p[lane][2 * N * i + N];
      }
      r.z[i] = {Pack<T, N>::load(re), Pack<T, N>::load(im)};
    }
    return r;
  }
#endif

 private:
  View field_, halo_;
};

}  // namespace kov
