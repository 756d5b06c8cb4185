// SPDX-License-Identifier: MIT
//
// Sites of packs that are read from memory element by element, where they are used.
#pragma once

#include "kov/core/site/color_spin.hpp"

namespace kov {

#if !defined(KOKKOS_ENABLE_CUDA)
/// A site whose elements are loaded from memory where they are used.  The most expensive kernels read it instead of a
/// value, because a spinor of packs does not fit into the registers beside their sums.  Valid only in the statement
/// that made it.  Its elements may be in two places, `split` of them in the first.
template <template <class> class SiteT, class T, int N, int split = SiteT<T>::n_complex>
class SiteInMemory {
 public:
  static constexpr int n_complex = SiteT<T>::n_complex;

  KOKKOS_FORCEINLINE_FUNCTION explicit SiteInMemory(const T* p) requires(split == n_complex) : p_(p) {}
  /// Lane i is lane i ^ exchange of p.
  KOKKOS_FORCEINLINE_FUNCTION SiteInMemory(const T* p, int exchange) requires(split == n_complex) : p_(p) {
    permute(exchange);
    forget();
  }
  /// The elements from `split` on are in rest.
  KOKKOS_FORCEINLINE_FUNCTION SiteInMemory(const T* p, const T* rest) : p_(p), rest_(rest) {}
  /// The same, where lane i is lane i ^ exchange in memory.
  KOKKOS_FORCEINLINE_FUNCTION SiteInMemory(const T* p, const T* rest, int exchange) : p_(p), rest_(rest) {
    permute(exchange);
    forget();
  }
  /// Keeps a value that was gathered or decoded; lane i is lane i ^ exchange of v.
  KOKKOS_FORCEINLINE_FUNCTION explicit SiteInMemory(const SiteT<Pack<T, N>>& v, int exchange = 0)
      : p_(permuted_), rest_(permuted_ + 2 * N * split) {
    for (int i = 0; i < n_complex; ++i) {
      v.z[i].re.store(permuted_ + 2 * N * i);
      v.z[i].im.store(permuted_ + 2 * N * i + N);
    }
    permute(exchange);
    forget();
  }
  SiteInMemory(const SiteInMemory&) = delete;
  SiteInMemory& operator=(const SiteInMemory&) = delete;

  KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> z(int i) const {
    const T* const at = address(2 * i);
    return {Pack<T, N>::load_now(at), Pack<T, N>::load_now(at + N)};
  }

 private:
  /// Straight legs exchange one bit, others two or three.
  KOKKOS_FORCEINLINE_FUNCTION void permute(int exchange) {
    if (exchange & 1) exchange_bit<1 % N>();
    if (exchange & 2) exchange_bit<2 % N>();
    if (exchange & 4) exchange_bit<4 % N>();
  }
  template <int mask>
  KOKKOS_FORCEINLINE_FUNCTION void exchange_bit() {
    for (int k = 0; k < 2 * n_complex; ++k) exchange_lanes<mask>(Pack<T, N>::load(address(k))).store(permuted_ + N * k);
    p_ = permuted_;
    rest_ = permuted_ + 2 * N * split;
  }
  /// The address of real k.
  KOKKOS_FORCEINLINE_FUNCTION const T* address(int k) const {
    return k < 2 * split ? p_ + N * k : rest_ + N * (k - 2 * split);
  }

  /// Hides the site's address from the compiler, which otherwise tries to keep all permuted lanes in registers, has too
  /// few, and copies them from stack to stack.
  KOKKOS_FORCEINLINE_FUNCTION void forget() {
    if constexpr (split < n_complex)
      asm volatile("" : "+r"(p_), "+r"(rest_), "+m"(permuted_));
    else
      asm volatile("" : "+r"(p_), "+m"(permuted_));
  }

  const T *p_, *rest_ = nullptr;
  alignas(64) T permuted_[2 * N * n_complex];
};

template <template <class> class SiteT, class T, int N, int split>
KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, N>> element(const SiteInMemory<SiteT, T, N, split>& site, int i) {
  return site.z(i);
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
