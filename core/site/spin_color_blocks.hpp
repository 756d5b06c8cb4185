// SPDX-License-Identifier: MIT
//
// Matrices in spin and colour that are read or computed one colour matrix at a time, when that is asked for: what the
// operators of spin_color_algebra.hpp make.  Not for users.
#pragma once

#include "kov/core/site/spin_color_matrix.hpp"

#include <type_traits>

namespace kov {

/// A matrix in spin and colour whose block(s, r) is the colour matrix of spin s at the sink and r at the source.
template <class M>
concept SpinColorBlocks = requires(const M& m) {
  typename M::Real;
  { m.block(0, 0) } -> std::same_as<ColorMatrix<typename M::Real>>;
};

/// One whose blocks are loaded or computed when block() is called.  A SpinColorMatrix is a value and not lazy.
template <class M>
concept LazySpinColor = SpinColorBlocks<M> && !SiteObject<M>;

namespace detail {

/// How many 3 x 3 products a block costs.
template <class M>
inline constexpr int block_cost = M::cost;
template <class R>
inline constexpr int block_cost<SpinColorMatrix<R>> = 0;

template <class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> transposed(const ColorMatrix<R>& m) {
  return {{m.z[0], m.z[3], m.z[6], m.z[1], m.z[4], m.z[7], m.z[2], m.z[5], m.z[8]}};
}
/// sum += a b
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void add_matrix_product(ColorMatrix<R>& sum, const ColorMatrix<R>& a,
                                                    const ColorMatrix<R>& b) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j) multiply_add(sum(i, j), a(i, k), b(k, j));
}
/// sum += tr a b
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void add_trace(Complex<R>& sum, const ColorMatrix<R>& a, const ColorMatrix<R>& b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) multiply_add(sum, a(i, j), b(j, i));
}

/// A Gamma in one register: four bits a row, the column and the phase.
class PackedGamma {
 public:
  /// The unit matrix.
  PackedGamma() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit PackedGamma(const Gamma& gamma) : bits_(0) {
    for (int s = 0; s < 4; ++s) set(s, gamma.column[s], gamma.phase[s]);
  }
  KOKKOS_FORCEINLINE_FUNCTION int column(int s) const { return int(bits_ >> 4 * s & 3); }
  KOKKOS_FORCEINLINE_FUNCTION int phase(int s) const { return int(bits_ >> (4 * s + 2) & 3); }

  friend KOKKOS_FORCEINLINE_FUNCTION PackedGamma operator*(const PackedGamma& a, const PackedGamma& b) {
    PackedGamma r(0u);
    for (int s = 0; s < 4; ++s) r.set(s, b.column(a.column(s)), a.phase(s) + b.phase(a.column(s)));
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION PackedGamma transposed() const {
    PackedGamma r(0u);
    for (int s = 0; s < 4; ++s) r.set(column(s), s, phase(s));
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION PackedGamma conjugate() const {
    PackedGamma r(0u);
    for (int s = 0; s < 4; ++s) r.set(s, column(s), 4 - phase(s));
    return r;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION explicit PackedGamma(unsigned bits) : bits_(bits) {}
  KOKKOS_FORCEINLINE_FUNCTION void set(int s, int column, int phase) {
    bits_ |= unsigned(column | (phase & 3) << 2) << 4 * s;
  }
  unsigned bits_ = 0x3210;
};

/// left M right, with M itself, its complex conjugate, its transpose, or both.
template <SpinColorBlocks M, bool conjugated, bool turned>
struct FramedBlocks {
  using Real = typename M::Real;
  static constexpr int cost = block_cost<M>;
  M m;
  PackedGamma left = {}, right_transposed = {};

  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> block(int s, int r) const {
    ColorMatrix<Real> b = block_without_phase(s, r);
    const int power = phase(s, r);
    for (int i = 0; i < 9; ++i) b.z[i] = times_i_power(power, b.z[i]);
    return b;
  }
  /// block(s, r) is i^phase(s, r) times this.
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> block_without_phase(int s, int r) const {
    const int sink = left.column(s), source = right_transposed.column(r);
    ColorMatrix<Real> b = turned ? transposed(m.block(source, sink)) : m.block(sink, source);
    if constexpr (conjugated)
      for (int i = 0; i < 9; ++i) b.z[i] = conj(b.z[i]);
    return b;
  }
  KOKKOS_FORCEINLINE_FUNCTION int phase(int s, int r) const { return left.phase(s) + right_transposed.phase(r); }
};

template <SpinColorBlocks A, SpinColorBlocks B>
struct ProductBlocks {
  using Real = typename A::Real;
  static constexpr int cost = 4 * (1 + block_cost<A> + block_cost<B>);
  A a;
  B b;

  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> block(int s, int r) const {
    ColorMatrix<Real> sum = a.block(s, 0) * b.block(0, r);
    for (int k = 1; k < 4; ++k) add_matrix_product(sum, a.block(s, k), b.block(k, r));
    return sum;
  }
};

template <SpinColorBlocks A, SpinColorBlocks B, bool minus>
struct SumBlocks {
  using Real = typename A::Real;
  static constexpr int cost = block_cost<A> + block_cost<B>;
  static constexpr bool subtracts = minus;
  A a;
  B b;

  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> block(int s, int r) const {
    return minus ? a.block(s, r) - b.block(s, r) : a.block(s, r) + b.block(s, r);
  }
};

/// Number: Real or Complex<Real>.
template <class Number, SpinColorBlocks M>
struct ScaledBlocks {
  using Real = typename M::Real;
  static constexpr int cost = block_cost<M>;
  Number number;
  M m;

  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> block(int s, int r) const { return number * m.block(s, r); }
};

/// A spin matrix on one side.  T: a plain number, which all lanes share and whose zeros are left out, or Real.
template <class T, SpinColorBlocks M, bool from_left>
struct SpinBlocks {
  using Real = typename M::Real;
  static constexpr int cost = 4 * block_cost<M>;
  SpinMatrix<T> spin;
  M m;

  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> block(int s, int r) const {
    ColorMatrix<Real> sum = zero<ColorMatrix<Real>>();
    for (int k = 0; k < 4; ++k) {
      const Complex<T> c = from_left ? spin(s, k) : spin(k, r);
      if constexpr (std::is_arithmetic_v<T>)
        if (c.re == 0 && c.im == 0) continue;
      multiply_add(sum, Complex<Real>{Real(c.re), Real(c.im)}, from_left ? m.block(k, r) : m.block(s, k));
    }
    return sum;
  }
};

template <SpinColorBlocks M, bool from_left>
struct ColorBlocks {
  using Real = typename M::Real;
  static constexpr int cost = 1 + block_cost<M>;
  ColorMatrix<Real> u;
  M m;

  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> block(int s, int r) const {
    return from_left ? u * m.block(s, r) : m.block(s, r) * u;
  }
};

/// See diquark().
template <SpinColorBlocks X, SpinColorBlocks Y>
struct DiquarkBlocks {
  using Real = typename X::Real;
  static constexpr int cost = 4 * (4 + block_cost<X> + block_cost<Y>);
  X x;
  Y y;

  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> block(int s, int t) const {
    ColorMatrix<Real> sum = zero<ColorMatrix<Real>>();
    for (int r = 0; r < 4; ++r) add_cross(sum, x.block(r, s), y.block(r, t));
    return transposed(sum);
  }
};

// A block but for its phase, and the phase: for sums that take the phase once and not nine times.
template <SpinColorBlocks M>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<typename M::Real> block_without_phase(const M& m, int s, int r) {
  if constexpr (requires { m.block_without_phase(s, r); })
    return m.block_without_phase(s, r);
  else
    return m.block(s, r);
}
template <SpinColorBlocks M>
KOKKOS_FORCEINLINE_FUNCTION int phase_of_block(const M& m, int s, int r) {
  if constexpr (requires { m.phase(s, r); })
    return m.phase(s, r);
  else
    return 0;
}

template <class M>
inline constexpr bool is_product_v = false;
template <class A, class B>
inline constexpr bool is_product_v<ProductBlocks<A, B>> = true;
template <class M>
inline constexpr bool is_sum_v = false;
template <class A, class B, bool minus>
inline constexpr bool is_sum_v<SumBlocks<A, B, minus>> = true;

}  // namespace detail

}  // namespace kov
