// SPDX-License-Identifier: MIT
//
// Spin projection of the Wilson hop: of (1 + sign gamma_mu) psi only the upper two spins are independent; the lower two
// are phases times them.
#pragma once

#include "kov/core/site/gamma.hpp"

namespace kov {

namespace detail {

/// What (1 + sign gamma_mu) does to spin s: adds i^phase times spin column.
template <int mu, int sign, int s>
struct ProjectorRow {
  static constexpr int column = Gamma::direction(mu).column[s];
  static constexpr int phase = (Gamma::direction(mu).phase[s] + (sign < 0 ? 2 : 0)) & 3;
};

/// a + i^k b
template <int k, class R>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> add_i_power(const Complex<R>& a, const Complex<R>& b) {
  if constexpr (k == 0)
    return {a.re + b.re, a.im + b.im};
  else if constexpr (k == 1)
    return {a.re - b.im, a.im + b.re};
  else if constexpr (k == 2)
    return {a.re - b.re, a.im - b.im};
  else
    return {a.re + b.im, a.im - b.re};
}

}  // namespace detail

/// The upper two spins of (1 + sign gamma_mu) psi, which may be in memory.  12 flops.
template <int mu, int sign, class R, class Psi>
KOKKOS_FORCEINLINE_FUNCTION HalfSpinor<R> projected(const Psi& psi) {
  using Row0 = detail::ProjectorRow<mu, sign, 0>;
  using Row1 = detail::ProjectorRow<mu, sign, 1>;
  HalfSpinor<R> r;
  unroll<3>([&](int a) __attribute__((always_inline)) {
    r(0, a) = detail::add_i_power<Row0::phase>(element(psi, a), element(psi, 3 * Row0::column + a));
    r(1, a) = detail::add_i_power<Row1::phase>(element(psi, 3 + a), element(psi, 3 * Row1::column + a));
  });
  return r;
}

/// u times the upper two spins of (1 + sign gamma_mu) psi; both may be in memory.  12 + 132 flops.  One colour of psi
/// at a time: with packs the product takes 12 registers and one projected colour takes four.
template <int mu, int sign, class R, class Matrix, class Psi>
KOKKOS_FORCEINLINE_FUNCTION HalfSpinor<R> multiply_projected(const Matrix& u, const Psi& psi) {
  using Row0 = detail::ProjectorRow<mu, sign, 0>;
  using Row1 = detail::ProjectorRow<mu, sign, 1>;
  HalfSpinor<R> r;
  unroll<3>([&](int b) __attribute__((always_inline)) {
    const auto h0 = detail::add_i_power<Row0::phase>(element(psi, b), element(psi, 3 * Row0::column + b));
    const auto h1 = detail::add_i_power<Row1::phase>(element(psi, 3 + b), element(psi, 3 * Row1::column + b));
    unroll<3>([&](int a) __attribute__((always_inline)) {
      const auto w = element(u, 3 * a + b);
      if (b == 0) {
        r(0, a) = w * h0;
        r(1, a) = w * h1;
      } else {
        multiply_add(r(0, a), w, h0);
        multiply_add(r(1, a), w, h1);
      }
    });
  });
  return r;
}

/// acc += the full spinor of a projected half h.  24 flops.
template <int mu, int sign, class R>
KOKKOS_FORCEINLINE_FUNCTION void reconstruct_add(Spinor<R>& acc, const HalfSpinor<R>& h) {
  using Row2 = detail::ProjectorRow<mu, sign, 2>;
  using Row3 = detail::ProjectorRow<mu, sign, 3>;
  unroll<3>([&](int a) __attribute__((always_inline)) {
    acc(0, a) += h(0, a);
    acc(1, a) += h(1, a);
    acc(2, a) = detail::add_i_power<Row2::phase>(acc(2, a), h(Row2::column, a));
    acc(3, a) = detail::add_i_power<Row3::phase>(acc(3, a), h(Row3::column, a));
  });
}

/// acc += c times the full spinor of a projected half h, c a real number or a complex one.  36 or 60 flops.
template <int mu, int sign, class R>
KOKKOS_FORCEINLINE_FUNCTION void reconstruct_add(Spinor<R>& acc, const R& c, const HalfSpinor<R>& h) {
  using Row2 = detail::ProjectorRow<mu, sign, 2>;
  using Row3 = detail::ProjectorRow<mu, sign, 3>;
  // Each sum is a fused operation: more flops, no more instructions.
  unroll<3>([&](int a) __attribute__((always_inline)) {
    acc(0, a) = detail::add_i_power<0>(acc(0, a), c * h(0, a));
    acc(1, a) = detail::add_i_power<0>(acc(1, a), c * h(1, a));
    acc(2, a) = detail::add_i_power<Row2::phase>(acc(2, a), c * h(Row2::column, a));
    acc(3, a) = detail::add_i_power<Row3::phase>(acc(3, a), c * h(Row3::column, a));
  });
}
/// The same with a complex number.
template <int mu, int sign, class R>
KOKKOS_FORCEINLINE_FUNCTION void reconstruct_add(Spinor<R>& acc, const Complex<R>& c, const HalfSpinor<R>& h) {
  HalfSpinor<R> scaled;
  unroll<6>([&](int i) __attribute__((always_inline)) { scaled.z[i] = c * h.z[i]; });
  reconstruct_add<mu, sign>(acc, scaled);
}

}  // namespace kov
