// SPDX-License-Identifier: MIT
//
// Sites of packs that are read from memory element by element, where they are used.
#pragma once

#include "kov/core/site/color_spin.hpp"

#include <concepts>
#include <type_traits>

namespace kov {

#if !defined(KOKKOS_ENABLE_CUDA)
/// A site whose elements are loaded from memory where they are used.  The most expensive kernels read it instead of a
/// value, because a spinor of packs does not fit into the registers beside their sums.  Valid only in the statement
/// that made it.  Its elements may be in two places, `split` of them in the first.
///
/// It has N of the `row` lanes of a block.  Nothing here calls a function: compilers would keep a kernel's sums in
/// memory around a call, even one that is not taken.
template <template <class> class SiteT, class T, int N, int row = N, int split = SiteT<T>::n_complex>
class SiteInMemory {
 public:
  static constexpr int n_complex = SiteT<T>::n_complex, lanes = N;
  /// Reals of a block, and of what is in the first place.
  static constexpr int reals = 2 * row * n_complex, split_reals = 2 * row * split;
  static constexpr bool is_split = split < n_complex;
  using Real = Pack<T, N>;

  /// p: real 0 of the first lane.
  KOKKOS_FORCEINLINE_FUNCTION explicit SiteInMemory(const T* p) requires(!is_split) : p_(p) {}
  /// The elements from `split` on are in rest.
  KOKKOS_FORCEINLINE_FUNCTION SiteInMemory(const T* p, const T* rest) requires(is_split) : p_(p), rest_{rest} {}
  /// Holds a value that was gathered or decoded.
  KOKKOS_FORCEINLINE_FUNCTION explicit SiteInMemory(const SiteT<Pack<T, N>>& v) { copy_from(v); }
  /// init(site) must call site.point_to(), with an address, or site.copy_from(), with a value.
  template <std::invocable<SiteInMemory&> Init>
  KOKKOS_FORCEINLINE_FUNCTION explicit SiteInMemory(const Init& init) {
    init(*this);
  }
  SiteInMemory(const SiteInMemory&) = delete;
  SiteInMemory& operator=(const SiteInMemory&) = delete;

  /// exchange: as LaneExchange takes it, of the lanes of p and rest.
  template <class Exchange = int>
  KOKKOS_FORCEINLINE_FUNCTION void point_to(const T* p, const T* rest, Exchange exchange = {}) {
    p_ = p;
    if constexpr (is_split) rest_.p = rest;
    permute(exchange);
  }
  /// exchange: of the lanes of v.
  template <class Exchange = int>
  KOKKOS_FORCEINLINE_FUNCTION void copy_from(const SiteT<Pack<T, N>>& v, Exchange exchange = {}) {
    for (int i = 0; i < n_complex; ++i) {
      v.z[i].re.store(own_ + 2 * row * i);
      v.z[i].im.store(own_ + 2 * row * i + row);
    }
    use_own_copy();
    permute(exchange);
  }

  /// Refers to p for the elements before `split` and holds the others, which fill(rest) must write.
  template <class Fill, class Exchange = int>
  KOKKOS_FORCEINLINE_FUNCTION void point_and_fill(const T* p, const Fill& fill, Exchange exchange = {}) {
    fill(own_ + split_reals);
    point_to(p, own_ + split_reals, exchange);
  }

  KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> z(int i) const {
    const T* const at = address(2 * i);
    return {Pack<T, N>::load_now(at), Pack<T, N>::load_now(at + row)};
  }
  /// Where the first lane of real k is.
  KOKKOS_FORCEINLINE_FUNCTION const T* address(int k) const {
    if constexpr (is_split)
      if (k >= 2 * split) return rest_.p + row * (k - 2 * split);
    return p_ + row * k;
  }

 private:
  struct Second {
    const T* p;
  };
  struct NoSecond {};

  template <class Exchange>
  KOKKOS_FORCEINLINE_FUNCTION void permute(Exchange exchange) {
    if (exchanges_lanes(exchange)) {
      const LaneExchange<T, N> exchanged(exchange);
      for (int k = 0; k < 2 * n_complex; ++k) exchanged.load(address(k)).store(own_ + row * k);
      use_own_copy();
    }
    forget();
  }
  KOKKOS_FORCEINLINE_FUNCTION void use_own_copy() {
    p_ = own_;
    if constexpr (is_split) rest_.p = own_ + split_reals;
  }

  /// Hides the site's address from the compiler, which otherwise tries to keep all changed lanes in registers, has too
  /// few, and copies them from stack to stack.
  KOKKOS_FORCEINLINE_FUNCTION void forget() {
    if constexpr (is_split)
      asm volatile("" : "+r"(p_), "+r"(rest_.p), "+m"(own_));
    else
      asm volatile("" : "+r"(p_), "+m"(own_));
  }

  const T* p_;
  /// Sites in one place have no second address: compilers store two together and then wait for the first.
  std::conditional_t<is_split, Second, NoSecond> rest_;
  alignas(64) T own_[reals];
};

/// Complex number i of a site in memory, as site.z[i] of one that is loaded.
template <template <class> class SiteT, class T, int N, int row, int split>
KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> element(const SiteInMemory<SiteT, T, N, row, split>& site, int i) {
  return site.z(i);
}

/// The adjoint of a colour matrix in memory.
template <class InMemory>
struct AdjointInMemory {
  InMemory u;
};

/// Number i of the adjoint, 3 row + column, from that of the matrix.
template <class InMemory>
KOKKOS_FORCEINLINE_FUNCTION auto element(const AdjointInMemory<InMemory>& u, int i) {
  return conj(u.u.z(3 * (i % 3) + i / 3));
}
#endif

}  // namespace kov
