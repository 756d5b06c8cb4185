// SPDX-License-Identifier: MIT
//
// Dense matrices in memory where kernels run, one or a batch of them: what multiply() and traces() take.
#pragma once

#include "kov/core/site/complex.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

namespace kov {

/// What a matrix is made of.
template <class Z>
concept MatrixNumber = std::is_same_v<Z, float> || std::is_same_v<Z, double> || std::is_same_v<Z, Complex<float>> ||
    std::is_same_v<Z, Complex<double>>;

/// How many directions a batch has: products of all operators, all pairs of spins and several times are one launch.
inline constexpr int batch_directions = 4;

/// Matrices of a batch in memory of Kokkos::DefaultExecutionSpace, which they do not own.  Element (i, k) of number
/// (b0, b1, b2, b3) is at data[i * row_stride + k + b0 * strides[0] + ... + b3 * strides[3]].
template <class Z>
struct Matrices {
  Z* data = nullptr;
  int n_rows = 0, n_columns = 0;
  std::int64_t row_stride = 0;
  /// From one matrix to the next in each direction of the batch; 0: all share one.
  std::int64_t strides[batch_directions] = {0, 0, 0, 0};
};

/// The extents of a batch.
struct Batch {
  int extents[batch_directions] = {1, 1, 1, 1};

  /// Matrices of the batch.
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t size() const {
    return std::int64_t(extents[0]) * extents[1] * extents[2] * extents[3];
  }
};

/// Matrices that follow one another without gaps.
template <class Z>
Matrices<Z> packed_matrices(Z* data, int n_rows, int n_columns) {
  return {data, n_rows, n_columns, n_columns, {std::int64_t(n_rows) * n_columns, 0, 0, 0}};
}
/// One matrix for all numbers of a batch.
template <class Z>
Matrices<Z> shared_matrix(Z* data, int n_rows, int n_columns) {
  return {data, n_rows, n_columns, n_columns, {0, 0, 0, 0}};
}

/// What a GPU tells of a kernel in teams; zeros on hosts.
struct KernelResources {
  /// Of a thread.
  int registers = 0;
  /// Of registers that did not suffice, and of arrays whose indices are not known: of each thread.
  int spilled_bytes = 0;
  /// Of a team, and teams that a multiprocessor runs at a time.
  int threads = 0, teams = 0;
  /// Scratch memory of a team.
  std::size_t tile_bytes = 0;
  /// The share of a multiprocessor's threads that these are.
  double occupancy = 0;
};

/// How far a sum of n products a_k b_k of numbers Z is from the exact sum at most, in units of sum |a_k| |b_k|, when it
/// is computed in Z: gamma_n = n u / (1 - n u) with u half of the machine epsilon, and sqrt(2) gamma_2n for complex
/// numbers, each part of which is a sum of 2 n products of reals.  In whatever order terms are added, with or without
/// fused multiplications (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1), so
/// that two implementations, or a CPU and a GPU, differ by twice that at most.  Rounding errors that are independent
/// are about sqrt(n) u instead.  For tensor cores there is tensor_bound().
template <MatrixNumber Z>
constexpr double rounding_bound(std::int64_t n) {
  constexpr bool is_real = std::is_arithmetic_v<Z>;
  constexpr bool is_single = std::is_same_v<Z, float> || std::is_same_v<Z, Complex<float>>;
  constexpr double u =
      double(is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon()) / 2;
  const double nu = double(is_real ? n : 2 * n) * u;
  return (is_real ? 1 : std::numbers::sqrt2) * nu / (1 - nu);
}

/// The same for tensor cores.  A product of floats is cut into TF32 numbers of 11 bits, by which 3 x 2^-22 of it may go
/// missing, and six sums of tensor cores, which cut off instead of rounding, may lose 2^-22 each: with both parts of a
/// complex number less than 2^-18 of all.  That much is allowed for.
template <MatrixNumber Z>
constexpr double tensor_bound(std::int64_t n) {
  constexpr bool is_single = std::is_same_v<Z, float> || std::is_same_v<Z, Complex<float>>;
  return rounding_bound<Z>(n) + (is_single ? 0x1p-18 : 0);
}

}  // namespace kov
