// SPDX-License-Identifier: MIT
//
// Sites of packs that are read from memory element by element, where they are used.
#pragma once

#include "kov/core/site/color_spin.hpp"

#include <concepts>

namespace kov {

#if !defined(KOKKOS_ENABLE_CUDA)
/// A site whose elements are loaded from memory where they are used.  The most expensive kernels read it instead of a
/// value, because a spinor of packs does not fit into the registers beside their sums.  Valid only in the statement
/// that made it.  Its elements may be in two places, `split` of them in the first.
///
/// Nothing here calls a function: compilers would keep a kernel's sums in memory around a call, made or not.
template <template <class> class SiteT, class T, int N, int split = SiteT<T>::n_complex>
class SiteInMemory {
 public:
  static constexpr int n_complex = SiteT<T>::n_complex, lanes = N;
  /// As many reals are in the first place.
  static constexpr int split_reals = 2 * N * split;
  using Real = Pack<T, N>;

  KOKKOS_FORCEINLINE_FUNCTION explicit SiteInMemory(const T* p) requires(split == n_complex) : p_(p) {}
  /// Lane i is lane i ^ exchange of p.
  KOKKOS_FORCEINLINE_FUNCTION SiteInMemory(const T* p, int exchange) requires(split == n_complex) : p_(p) {
    permute(exchange);
  }
  /// The elements from `split` on are in rest.
  KOKKOS_FORCEINLINE_FUNCTION SiteInMemory(const T* p, const T* rest) : p_(p), rest_(rest) {}
  /// Keeps a value that was gathered or decoded; lane i is lane i ^ exchange of v.
  KOKKOS_FORCEINLINE_FUNCTION explicit SiteInMemory(const SiteT<Pack<T, N>>& v, int exchange = 0) { keep(v, exchange); }
  /// say(site) says where the site is, with lie_at(), or what it is, with keep().
  template <std::invocable<SiteInMemory&> Say>
  KOKKOS_FORCEINLINE_FUNCTION explicit SiteInMemory(const Say& say) {
    say(*this);
  }
  SiteInMemory(const SiteInMemory&) = delete;
  SiteInMemory& operator=(const SiteInMemory&) = delete;

  /// Lane i is lane i ^ exchange of p and rest.
  KOKKOS_FORCEINLINE_FUNCTION void lie_at(const T* p, const T* rest, int exchange) {
    p_ = p;
    rest_ = rest;
    permute(exchange);
  }
  /// Lane i is lane i ^ exchange of v.
  KOKKOS_FORCEINLINE_FUNCTION void keep(const SiteT<Pack<T, N>>& v, int exchange = 0) {
    for (int i = 0; i < n_complex; ++i) {
      v.z[i].re.store(own_ + 2 * N * i);
      v.z[i].im.store(own_ + 2 * N * i + N);
    }
    be_own();
    permute(exchange);
  }

  KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> z(int i) const {
    const T* const at = address(2 * i);
    return {Pack<T, N>::load_now(at), Pack<T, N>::load_now(at + N)};
  }
  /// The address of real k.
  KOKKOS_FORCEINLINE_FUNCTION const T* address(int k) const {
    return k < 2 * split ? p_ + N * k : rest_ + N * (k - 2 * split);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void permute(int exchange) {
    if (exchange != 0) {
      const LaneExchange<T, N> exchanged(exchange);
      for (int k = 0; k < 2 * n_complex; ++k) exchanged.load(address(k)).store(own_ + N * k);
      be_own();
    }
    forget();
  }
  KOKKOS_FORCEINLINE_FUNCTION void be_own() {
    p_ = own_;
    rest_ = own_ + split_reals;
  }

  /// Hides the site's address from the compiler, which otherwise tries to keep all changed lanes in registers, has too
  /// few, and copies them from stack to stack.
  KOKKOS_FORCEINLINE_FUNCTION void forget() {
    if constexpr (split < n_complex)
      asm volatile("" : "+r"(p_), "+r"(rest_), "+m"(own_));
    else
      asm volatile("" : "+r"(p_), "+m"(own_));
  }

  const T *p_, *rest_ = nullptr;
  alignas(64) T own_[2 * N * n_complex];
};

template <template <class> class SiteT, class T, int N, int split>
KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> element(const SiteInMemory<SiteT, T, N, split>& site, int i) {
  return site.z(i);
}

/// The sites of a pair.
template <class InMemory>
struct PairInMemory {
  InMemory lower, upper;

  KOKKOS_FORCEINLINE_FUNCTION auto z(int i) const {
    auto re = real(2 * i), im = real(2 * i + 1);
    return Complex<decltype(re)>{re, im};
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION auto real(int k) const {
    using Half = typename InMemory::Real;
    auto r = join(Half::load(lower.address(k)), Half::load(upper.address(k)));
    r.stay();
    return r;
  }
};

template <class InMemory>
KOKKOS_FORCEINLINE_FUNCTION auto element(const PairInMemory<InMemory>& sites, int i) {
  return sites.z(i);
}

/// The adjoint of a colour matrix in memory.
template <class InMemory>
struct AdjointInMemory {
  InMemory u;
};

template <class InMemory>
KOKKOS_FORCEINLINE_FUNCTION auto element(const AdjointInMemory<InMemory>& u, int i) {
  return conj(u.u.z(3 * (i % 3) + i / 3));
}
#endif

}  // namespace kov
