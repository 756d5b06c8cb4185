// SPDX-License-Identifier: MIT
//
// Spin projection of the Wilson hop: only two spins of (1 + sign gamma_mu) psi are independent.  They are the upper
// two, and the lower two are phases times them; or, where gamma_mu is diagonal, the two that are not 0.
#pragma once

#include "kov/core/site/gamma.hpp"

namespace kov {

namespace detail {

/// What (1 + sign gamma_mu) does to spin s: adds i^phase times spin column.
template <int mu, int sign, int s, SpinBasis basis = SpinBasis::chiral>
struct ProjectorRow {
  static constexpr int column = Gamma::direction(mu, basis).column[s];
  static constexpr int phase = (Gamma::direction(mu, basis).phase[s] + (sign < 0 ? 2 : 0)) & 3;
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

/// Where gamma_mu is diagonal, 1 + sign gamma_mu is 2 on two spins and 0 on the others: the first of the two, 0 or 2.
/// -1 where it is not diagonal.
template <int mu, int sign, SpinBasis basis>
inline constexpr int spins_left = Gamma::direction(mu, basis).column[0] != 0             ? -1
                                  : detail::ProjectorRow<mu, sign, 0, basis>::phase == 0 ? 0
                                                                                         : 2;

namespace detail {

/// Spin s = 0, 1 and one colour of what projected() returns.
template <int mu, int sign, int s, SpinBasis basis, class R, class Psi>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> projected_element(const Psi& psi, int color, const R& lower) {
  using Row = ProjectorRow<mu, sign, s, basis>;
  if constexpr (spins_left<mu, sign, basis> >= 0)
    return element(psi, 3 * s + color);
  else
    return add_i_power<Row::phase>(element(psi, 3 * s + color), lower * element(psi, 3 * Row::column + color));
}

}  // namespace detail

/// The upper two spins h of (1 + sign gamma_mu) psi, which may be in memory.  12 flops.  With spins_left() psi is the
/// half spinor of these two spins, and h = psi: half of what the projector makes of them.  lower, 1 or -1, multiplies
/// the lower two spins of psi, in the same instruction.
template <int mu, int sign, class R, SpinBasis basis = SpinBasis::chiral, class Psi>
KOKKOS_FORCEINLINE_FUNCTION HalfSpinor<R> projected(const Psi& psi, const R& lower = R(1)) {
  HalfSpinor<R> r;
  unroll<3>([&](int a) __attribute__((always_inline)) {
    r(0, a) = detail::projected_element<mu, sign, 0, basis>(psi, a, lower);
    r(1, a) = detail::projected_element<mu, sign, 1, basis>(psi, a, lower);
  });
  return r;
}

/// u h, with the h of projected(); u and psi may be in memory.  12 + 132 flops, with spins_left() 132.  One colour of
/// psi at a time: with packs the product takes 12 registers and one projected colour takes four.
template <int mu, int sign, class R, SpinBasis basis = SpinBasis::chiral, class Matrix, class Psi>
KOKKOS_FORCEINLINE_FUNCTION HalfSpinor<R> multiply_projected(const Matrix& u, const Psi& psi, const R& lower = R(1)) {
  HalfSpinor<R> r;
  unroll<3>([&](int b) __attribute__((always_inline)) {
    const auto h0 = detail::projected_element<mu, sign, 0, basis>(psi, b, lower);
    const auto h1 = detail::projected_element<mu, sign, 1, basis>(psi, b, lower);
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

namespace detail {

/// acc += c times the full spinor of h, where spins_left() is -1.  Compilers drop a c of 1.
template <int mu, int sign, SpinBasis basis, class R>
KOKKOS_FORCEINLINE_FUNCTION void add_all_spins(Spinor<R>& acc, const R& c, const HalfSpinor<R>& h) {
  using Row2 = ProjectorRow<mu, sign, 2, basis>;
  using Row3 = ProjectorRow<mu, sign, 3, basis>;
  kov::unroll<3>([&](int a) __attribute__((always_inline)) {
    acc(0, a) = add_i_power<0>(acc(0, a), c * h(0, a));
    acc(1, a) = add_i_power<0>(acc(1, a), c * h(1, a));
    acc(2, a) = add_i_power<Row2::phase>(acc(2, a), c * h(Row2::column, a));
    acc(3, a) = add_i_power<Row3::phase>(acc(3, a), c * h(Row3::column, a));
  });
}

}  // namespace detail

/// acc += the full spinor of the h of projected(), or of u h.  24 flops.
template <int mu, int sign, SpinBasis basis = SpinBasis::chiral, class R>
KOKKOS_FORCEINLINE_FUNCTION void reconstruct_add(Spinor<R>& acc, const HalfSpinor<R>& h) {
  constexpr int left = spins_left<mu, sign, basis>;
  if constexpr (left >= 0)
    unroll<6>([&](int i) __attribute__((always_inline)) {
      detail::add_product(acc.z[3 * left + i].re, R(2), h.z[i].re);
      detail::add_product(acc.z[3 * left + i].im, R(2), h.z[i].im);
    });
  else
    detail::add_all_spins<mu, sign, basis>(acc, R(1), h);
}

/// acc += c times the full spinor, c a real number or a complex one.  36 or 60 flops.
template <int mu, int sign, SpinBasis basis = SpinBasis::chiral, class R>
KOKKOS_FORCEINLINE_FUNCTION void reconstruct_add(Spinor<R>& acc, const R& c, const HalfSpinor<R>& h) {
  constexpr int left = spins_left<mu, sign, basis>;
  // Each sum is a fused operation: more flops, no more instructions.
  if constexpr (left >= 0)
    unroll<6>([&](int i) __attribute__((always_inline)) {
      acc.z[3 * left + i] = detail::add_i_power<0>(acc.z[3 * left + i], (c + c) * h.z[i]);
    });
  else
    detail::add_all_spins<mu, sign, basis>(acc, c, h);
}
/// The same with a complex number.
template <int mu, int sign, SpinBasis basis = SpinBasis::chiral, class R>
KOKKOS_FORCEINLINE_FUNCTION void reconstruct_add(Spinor<R>& acc, const Complex<R>& c, const HalfSpinor<R>& h) {
  HalfSpinor<R> scaled;
  unroll<6>([&](int i) __attribute__((always_inline)) { scaled.z[i] = c * h.z[i]; });
  reconstruct_add<mu, sign, basis>(acc, scaled);
}

}  // namespace kov
