// SPDX-License-Identifier: MIT
//
// Products of propagators that are computed where they are traced: trace(g5 * adj(S) * g5 * Gamma * S * Gamma) reads
// every number of S twice and holds two colour matrices at a time, never a matrix of 12 x 12.
#pragma once

#include "kov/core/site/spin_color_blocks.hpp"

namespace kov {

// The operators below combine lazy matrices (propagators in memory, and results of these operators) with gammas, spin
// matrices, colour matrices, numbers and values; the result is lazy again and keeps copies of its operands.  The
// operators of values alone are in spin_color_matrix.hpp.

/// The matrix that M stands for, as a value.
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<typename M::Real> to_matrix(const M& m);

namespace detail {

template <SpinColorBlocks A, SpinColorBlocks B>
KOKKOS_FORCEINLINE_FUNCTION ProductBlocks<A, B> product_of(const A& a, const B& b) {
  return {a, b};
}

// A new factor is absorbed by the neighbouring factor of a product, so that a trace finds the product outermost.
template <class Left, SpinColorBlocks M>
KOKKOS_FORCEINLINE_FUNCTION auto from_left(const Left& left, const M& m) {
  if constexpr (is_product_v<M>)
    return product_of(from_left(left, m.a), m.b);
  else
    return left.times(m);
}
template <SpinColorBlocks M, class Right>
KOKKOS_FORCEINLINE_FUNCTION auto from_right(const M& m, const Right& right) {
  if constexpr (is_product_v<M>)
    return product_of(m.a, from_right(m.b, right));
  else
    return right.times(m);
}

struct LeftGamma {
  PackedGamma gamma;
  template <SpinColorBlocks M>
  KOKKOS_FORCEINLINE_FUNCTION auto times(const M& m) const {
    return FramedBlocks<M, false, false>{m, gamma};
  }
  template <class M, bool conjugated, bool turned>
  KOKKOS_FORCEINLINE_FUNCTION auto times(FramedBlocks<M, conjugated, turned> m) const {
    m.left = gamma * m.left;
    return m;
  }
};
struct RightGamma {
  PackedGamma gamma;
  template <SpinColorBlocks M>
  KOKKOS_FORCEINLINE_FUNCTION auto times(const M& m) const {
    return FramedBlocks<M, false, false>{m, PackedGamma(), gamma.transposed()};
  }
  template <class M, bool conjugated, bool turned>
  KOKKOS_FORCEINLINE_FUNCTION auto times(FramedBlocks<M, conjugated, turned> m) const {
    m.right_transposed = gamma.transposed() * m.right_transposed;
    return m;
  }
};
template <class Number>
struct Scale {
  Number number;
  template <SpinColorBlocks M>
  KOKKOS_FORCEINLINE_FUNCTION auto times(const M& m) const {
    return ScaledBlocks<Number, M>{number, m};
  }
};
template <class T, bool left>
struct SpinFactor {
  SpinMatrix<T> spin;
  template <SpinColorBlocks M>
  KOKKOS_FORCEINLINE_FUNCTION auto times(const M& m) const {
    return SpinBlocks<T, M, left>{spin, m};
  }
};
template <class R, bool left>
struct ColorFactor {
  ColorMatrix<R> u;
  template <SpinColorBlocks M>
  KOKKOS_FORCEINLINE_FUNCTION auto times(const M& m) const {
    return ColorBlocks<M, left>{u, m};
  }
};

template <bool conjugates, bool turns>
struct Turn {
  template <SpinColorBlocks M>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const M& m) const {
    return FramedBlocks<M, conjugates, turns>{m};
  }
  template <class M, bool conjugated, bool turned>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const FramedBlocks<M, conjugated, turned>& m) const {
    const PackedGamma left = conjugates ? m.left.conjugate() : m.left,
                      right = conjugates ? m.right_transposed.conjugate() : m.right_transposed;
    return FramedBlocks<M, conjugates != conjugated, turns != turned>{m.m, turns ? right : left, turns ? left : right};
  }
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const ProductBlocks<A, B>& m) const {
    if constexpr (turns)
      return product_of((*this)(m.b), (*this)(m.a));
    else
      return product_of((*this)(m.a), (*this)(m.b));
  }
};

/// M, computed to a value if a block costs more than `most` products: for use where every block is read several times.
template <int most, SpinColorBlocks M>
KOKKOS_FORCEINLINE_FUNCTION auto computed(const M& m) {
  if constexpr (block_cost < M >> most)
    return to_matrix(m);
  else
    return m;
}

template <class A, class B>
concept SpinColorPair = SpinColorBlocks<A> && SpinColorBlocks<B> &&(LazySpinColor<A> || LazySpinColor<B>);

}  // namespace detail

/// Gamma times rows of spins, or columns of spins times Gamma: a permutation with phases, which costs no flops.
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const Gamma& gamma, const M& m) {
  return detail::from_left(detail::LeftGamma{detail::PackedGamma(gamma)}, m);
}
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const M& m, const Gamma& gamma) {
  return detail::from_right(m, detail::RightGamma{detail::PackedGamma(gamma)});
}
/// T: Real or, the same in all lanes, its plain number.
template <class T, LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const SpinMatrix<T>& spin, const M& m) {
  return detail::from_left(detail::SpinFactor<T, true>{spin}, m);
}
template <LazySpinColor M, class T>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const M& m, const SpinMatrix<T>& spin) {
  return detail::from_right(m, detail::SpinFactor<T, false>{spin});
}
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const ColorMatrix<typename M::Real>& u, const M& m) {
  return detail::from_left(detail::ColorFactor<typename M::Real, true>{u}, m);
}
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const M& m, const ColorMatrix<typename M::Real>& u) {
  return detail::from_right(m, detail::ColorFactor<typename M::Real, false>{u});
}
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const typename M::Real& number, const M& m) {
  return detail::from_left(detail::Scale<typename M::Real>{number}, m);
}
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const Complex<typename M::Real>& number, const M& m) {
  return detail::from_left(detail::Scale<Complex<typename M::Real>>{number}, m);
}
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto operator-(const M& m) {
  return typename M::Real(-1) * m;
}

/// Products, sums and differences of matrices in spin and colour, of which one at least is not computed yet.
template <class A, class B>
requires detail::SpinColorPair<A, B> KOKKOS_FORCEINLINE_FUNCTION auto operator*(const A& a, const B& b) {
  return detail::product_of(a, b);
}
template <class A, class B>
requires detail::SpinColorPair<A, B> KOKKOS_FORCEINLINE_FUNCTION auto operator+(const A& a, const B& b) {
  return detail::SumBlocks<A, B, false>{a, b};
}
template <class A, class B>
requires detail::SpinColorPair<A, B> KOKKOS_FORCEINLINE_FUNCTION auto operator-(const A& a, const B& b) {
  return detail::SumBlocks<A, B, true>{a, b};
}
/// See diquark() of values.
template <class X, class Y>
requires detail::SpinColorPair<X, Y> KOKKOS_FORCEINLINE_FUNCTION auto diquark(const X& x, const Y& y) {
  return detail::DiquarkBlocks<X, Y>{x, y};
}

/// The adjoint in spin and colour, and the transpose in both.
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto adj(const M& m) {
  return detail::Turn<true, true>{}(m);
}
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto transpose(const M& m) {
  return detail::Turn<false, true>{}(m);
}
/// The complex conjugate of every element.
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION auto conj(const M& m) {
  return detail::Turn<true, false>{}(m);
}

/// The matrix as a value, all its blocks computed.
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION SpinColorMatrix<typename M::Real> to_matrix(const M& m) {
  SpinColorMatrix<typename M::Real> out;
  if constexpr (detail::is_product_v<M>) {
    const auto product = detail::product_of(detail::computed<3>(m.a), detail::computed<3>(m.b));
    for (int s = 0; s < 4; ++s)
      for (int r = 0; r < 4; ++r) out.set_block(s, r, product.block(s, r));
  } else {
    for (int s = 0; s < 4; ++s)
      for (int r = 0; r < 4; ++r) out.set_block(s, r, m.block(s, r));
  }
  return out;
}

/// The trace over spin, sum over s of m(s a, s b): a colour matrix [a][b].
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<typename M::Real> trace_spin(const M& m) {
  ColorMatrix<typename M::Real> sum = m.block(0, 0);
  for (int s = 1; s < 4; ++s) sum += m.block(s, s);
  return sum;
}
/// The trace over colour, sum over a of m(s a, r a): a spin matrix [s][r].
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION SpinMatrix<typename M::Real> trace_color(const M& m) {
  using R = typename M::Real;
  SpinMatrix<R> sum = zero<SpinMatrix<R>>();
  if constexpr (detail::is_product_v<M>) {
    const auto a = detail::computed<3>(m.a);
    const auto b = detail::computed<3>(m.b);
    for (int s = 0; s < 4; ++s)
      for (int r = 0; r < 4; ++r)
        for (int k = 0; k < 4; ++k) detail::add_trace(sum(s, r), a.block(s, k), b.block(k, r));
  } else {
    for (int s = 0; s < 4; ++s)
      for (int r = 0; r < 4; ++r) sum(s, r) = trace(m.block(s, r));
  }
  return sum;
}
/// The trace over spin and colour, sum over s and a of m(s a, s a), without a factor 1 / 12.  Of a product of two
/// factors: 144 complex products, without making the product.
template <LazySpinColor M>
KOKKOS_FORCEINLINE_FUNCTION Complex<typename M::Real> trace(const M& m) {
  using R = typename M::Real;
  Complex<R> sum{R(0), R(0)};
  if constexpr (detail::is_product_v<M>) {
    // Every block of either factor is read once.
    const auto a = detail::computed<4>(m.a);
    const auto b = detail::computed<4>(m.b);
    for (int s = 0; s < 4; ++s)
      for (int k = 0; k < 4; ++k) {
        Complex<R> term{R(0), R(0)};
        detail::add_trace(term, detail::block_without_phase(a, s, k), detail::block_without_phase(b, k, s));
        sum += times_i_power(detail::phase_of_block(a, s, k) + detail::phase_of_block(b, k, s), term);
      }
  } else if constexpr (detail::is_sum_v<M>) {
    return M::subtracts ? trace(m.a) - trace(m.b) : trace(m.a) + trace(m.b);
  } else {
    for (int s = 0; s < 4; ++s) sum += trace(m.block(s, s));
  }
  return sum;
}

}  // namespace kov
