// SPDX-License-Identifier: MIT
//
// Private to the kernels of this room: products of small matrices by the tensor cores of NVIDIA's GPUs (compute
// capability 8.0 and later), without loss of precision.
#pragma once

#include "kov/contractions/kernels/cuda/tile_threads.hpp"
#include "kov/contractions/kernels/matrix_entries.hpp"
#include "kov/core/base/error.hpp"

#include <cstdint>

namespace kov::detail {

/// Whether this device has tensor cores that multiply doubles and TF32 numbers, and this build is for them.
inline bool has_tensor_cores() {
#if defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ARCH_KEPLER) && !defined(KOKKOS_ARCH_MAXWELL) && \
    !defined(KOKKOS_ARCH_PASCAL) && !defined(KOKKOS_ARCH_VOLTA) && !defined(KOKKOS_ARCH_TURING75)
  static const bool has = Exec().cuda_device_prop().major >= 8;
  return has;
#else
  return false;
#endif
}

[[noreturn]] inline void refuse_tensor_cores() {
  throw InputError(
      "this device has no tensor cores that multiply doubles and TF32 numbers, as NVIDIA's have from compute "
      "capability "
      "8.0 on: choose another tiling");
}

#if defined(KOKKOS_ENABLE_CUDA)

/// A number as tensor cores take it; of TF32 numbers they ignore the last 13 bits.  TF32 numbers have 11 significant
/// bits and the range of float: a float is the sum of two of them to within 2^-22 of its size, and a product of floats
/// that of three products of these, to within 2^-21: the fourth, of both low parts, is left out.
template <class R>
struct TensorNumber;
template <>
struct TensorNumber<float> {
  std::uint32_t high, low;
  TensorNumber() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit TensorNumber([[maybe_unused]] float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    high = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;  // rounded; fewer instructions than a conversion
    low = __float_as_uint(x - __uint_as_float(high));
#endif
  }
  /// Of numbers that are cut off and not rounded, whose sum is x to within 2^-20, with one instruction fewer.
  static KOKKOS_FORCEINLINE_FUNCTION TensorNumber cut([[maybe_unused]] float x) {
    TensorNumber n{};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    n.high = __float_as_uint(x);
    n.low = __float_as_uint(x - __uint_as_float(n.high & 0xffffe000u));
#endif
    return n;
  }
  KOKKOS_FORCEINLINE_FUNCTION TensorNumber operator-() const {
    TensorNumber n;
    n.high = high ^ 0x80000000u;
    n.low = low ^ 0x80000000u;
    return n;
  }
};
template <>
struct TensorNumber<double> {
  double value;
  TensorNumber() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit TensorNumber(double x) : value(x) {}
  static KOKKOS_FORCEINLINE_FUNCTION TensorNumber cut(double x) { return TensorNumber(x); }
  KOKKOS_FORCEINLINE_FUNCTION TensorNumber operator-() const { return TensorNumber(-value); }
};

/// c = a b + c, or a b for `first`, for matrices a of 16 rows and 8 columns and b of 8 rows and 8 columns, spread over
/// a warp: thread 4 g + t has a(g, t), a(g + 8, t), a(g, t + 4), a(g + 8, t + 4); b(t, g), b(t + 4, g); and c(g, 2 t),
/// c(g, 2 t + 1), c(g + 8, 2 t), c(g + 8, 2 t + 1).
// Such instructions are volatile: a whole warp carries them out, so they must not be moved into a branch.
template <bool first>
KOKKOS_FORCEINLINE_FUNCTION void tensor_product([[maybe_unused]] float (&c)[4],
                                                [[maybe_unused]] const std::uint32_t (&a)[4],
                                                [[maybe_unused]] const std::uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (first)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %10, %10, %10};"
        : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(0.0f));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}
/// The products that make one of two floats, small ones first.
inline constexpr int float_terms = 3;
template <int term, bool first>
KOKKOS_FORCEINLINE_FUNCTION void tensor_term(float (&c)[4], const TensorNumber<float> (&a)[4],
                                             const TensorNumber<float> (&b)[2]) {
  const std::uint32_t high_a[4] = {a[0].high, a[1].high, a[2].high, a[3].high},
                      low_a[4] = {a[0].low, a[1].low, a[2].low, a[3].low}, high_b[2] = {b[0].high, b[1].high},
                      low_b[2] = {b[0].low, b[1].low};
  if constexpr (term == 0)
    tensor_product<first>(c, low_a, high_b);
  else if constexpr (term == 1)
    tensor_product<first>(c, high_a, low_b);
  else
    tensor_product<first>(c, high_a, high_b);
}
/// c += a b
KOKKOS_FORCEINLINE_FUNCTION void tensor_multiply_add([[maybe_unused]] double (&c)[4],
                                                     [[maybe_unused]] const TensorNumber<double> (&a)[4],
                                                     [[maybe_unused]] const TensorNumber<double> (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0].value), "d"(a[1].value), "d"(a[2].value), "d"(a[3].value), "d"(b[0].value), "d"(b[1].value));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  for (int down = 0; down < 2; ++down)
    for (int k = 0; k < 2; ++k)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                   : "+d"(c[2 * down]), "+d"(c[2 * down + 1])
                   : "d"(a[2 * k + down].value), "d"(b[k].value));
#endif
}

/// The sums of a warp: 16 m_tiles x 8 n_tiles numbers of type S of products of numbers Z.
template <class Z, class S, int m_tiles, int n_tiles>
struct TensorSums {
  using R = MatrixReal<S>;
  static constexpr int parts = is_complex_number<Z> ? 2 : 1;
  /// Tiles whose products of floats are made together, as each waits for the one before it.
  static constexpr int at_once = !std::is_same_v<R, float> ? 1
                                 : n_tiles % 4 == 0        ? 4
                                 : n_tiles % 3 == 0        ? 3
                                 : n_tiles % 2 == 0        ? 2
                                                           : 1;
  R sum[m_tiles][n_tiles][parts][4];

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    each([](R& r) { r = 0; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void negate() {
    each([](R& r) { r = -r; });
  }

  /// Adds the products over eight k.  a and b are at what this thread has of their first tiles, a(g, t) and b(t, g);
  /// strides are from number to number.
  template <int a_row, int b_k, int b_column>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Z* a, const Z* b) {
    TensorNumber<R> y[n_tiles][parts][2];
    repeat<n_tiles>([&](int n) {
      repeat<2>([&](int k) {
        load(
            b[8 * n * b_column + 4 * k * b_k], [&](int part) -> auto& { return y[n][part][k]; });
      });
    });
    repeat<m_tiles>([&](int m) {
      TensorNumber<R> x[parts][4];
      repeat<4>([&](int i) {
        load(
            a[(16 * m + i % 2 * 8) * a_row + i / 2 * 4], [&](int part) -> auto& { return x[part][i]; });
      });
      add_tiles(m, x, y);
    });
  }

  /// Adds the products of one tile of a and n_tiles of b, spread over the warp as for tensor_multiply_add().
  KOKKOS_FORCEINLINE_FUNCTION void add_tiles(int m, const TensorNumber<R> (&a)[parts][4],
                                             const TensorNumber<R> (&b)[n_tiles][parts][2]) {
    for (int n = 0; n < n_tiles; n += at_once) {
      if constexpr (std::is_same_v<R, float>)
        multiply_floats(sum[m] + n, a, b + n);
      else
        multiply(sum[m][n], a, b[n]);
    }
  }

  /// f(row, column, z0, z1): the numbers in this row and column and in the next column, of thread 4 g + t.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_pairs(int g, int t, const F& f) const {
    repeat<m_tiles>([&](int m) {
      repeat<2>([&](int down) {
        repeat<n_tiles>([&](int n) {
          f(16 * m + 8 * down + g, 8 * n + 2 * t, number(sum[m][n], 2 * down), number(sum[m][n], 2 * down + 1));
        });
      });
    });
  }

 private:
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each(const F& f) {
    repeat<m_tiles>([&](int m) {
      repeat<n_tiles>([&](int n) { repeat<parts>([&](int p) { repeat<4>([&](int i) { f(sum[m][n][p][i]); }); }); });
    });
  }
  template <class F>
  static KOKKOS_FORCEINLINE_FUNCTION void load(const Z& z, const F& part) {
    if constexpr (parts == 2) {
      part(0) = TensorNumber<R>(R(z.re));
      part(1) = TensorNumber<R>(R(z.im));
    } else {
      part(0) = TensorNumber<R>(R(z));
    }
  }
  static KOKKOS_FORCEINLINE_FUNCTION S number(const R (&sums)[parts][4], int i) {
    if constexpr (parts == 2)
      return {sums[0][i], sums[1][i]};
    else
      return sums[0][i];
  }
  static KOKKOS_FORCEINLINE_FUNCTION void multiply(R (&to)[parts][4], const TensorNumber<R> (&x)[parts][4],
                                                   const TensorNumber<R> (&y)[parts][2]) {
    tensor_multiply_add(to[0], x[0], y[0]);
    if constexpr (parts == 2) {
      tensor_multiply_add(to[1], x[0], y[1]);
      const TensorNumber<R> minus[2] = {-y[1][0], -y[1][1]};
      tensor_multiply_add(to[1], x[1], y[0]);
      tensor_multiply_add(to[0], x[1], minus);
    }
  }
  /// Tensor cores cut sums of floats off instead of rounding them, so those of eight k are added to the others outside.
  static KOKKOS_FORCEINLINE_FUNCTION void multiply_floats(R (*to)[parts][4], const TensorNumber<R> (&x)[parts][4],
                                                          const TensorNumber<R> (*y)[parts][2]) {
    R step[at_once][parts][4];
    TensorNumber<R> minus[at_once][2];
    if constexpr (parts == 2) repeat<at_once>([&](int n) { repeat<2>([&](int k) { minus[n][k] = -y[n][1][k]; }); });
    const auto add_term = [&]<int term>(std::integral_constant<int, term>) {
      repeat<at_once>(
          [&](int n) { repeat<parts>([&](int p) { tensor_term<term, term == 0>(step[n][p], x[0], y[n][p]); }); });
      if constexpr (parts == 2)
        repeat<at_once>([&](int n) {
          tensor_term<term, false>(step[n][0], x[1], minus[n]);
          tensor_term<term, false>(step[n][1], x[1], y[n][0]);
        });
    };
    add_term(std::integral_constant<int, 0>());
    add_term(std::integral_constant<int, 1>());
    add_term(std::integral_constant<int, 2>());
    repeat<at_once>(
        [&](int n) { repeat<parts>([&](int p) { repeat<4>([&](int i) { to[n][p][i] += step[n][p][i]; }); }); });
  }
};

#endif

}  // namespace kov::detail
