// SPDX-License-Identifier: MIT
//
// Private to the kernels of this room: a batch of products as kernels are given it.
#pragma once

#include "kov/contractions/kernels/matrix_entries.hpp"
#include "kov/contractions/kernels/product.hpp"

#include <cstdint>

namespace kov::detail {

/// gamma_5 cuts the inner index into halves: ranges of it begin at first[0] and first[1] and end at first[1] and
/// first[2].  Without gamma_5 there is one.
template <class Z>
struct ProductProblem {
  Matrices<const Z> a, b;
  Matrices<Z> c;
  Batch batch;
  Gamma5Fold gamma5;
  bool conjugate;
  int first[3];

  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t offset(const std::int64_t* strides, const Batch& batch,
                                                         std::int64_t number) {
    std::int64_t sum = 0;
    for (int d = 0; d < batch_directions; ++d) {
      sum += number % batch.extents[d] * strides[d];
      number /= batch.extents[d];
    }
    return sum;
  }
  /// The row of a for row i of the product.
  KOKKOS_FORCEINLINE_FUNCTION int row_of_a(int i) const {
    if (gamma5 != Gamma5Fold::exchange) return i;
    return i < first[1] ? i + first[1] : i - first[1];
  }
  /// From the inner index to the column of a, in this range.
  KOKKOS_FORCEINLINE_FUNCTION int column_shift(int range) const {
    if (gamma5 != Gamma5Fold::exchange) return 0;
    return range == 0 ? first[1] : -first[1];
  }
  /// Whether signs change the sign of this row of the product, and of products in the second range of the inner index.
  KOKKOS_FORCEINLINE_FUNCTION bool changes_sign(int i) const { return gamma5 == Gamma5Fold::signs && i >= first[1]; }
};

/// Starts the kernel, or, with `resources`, only asks what it takes; defined in product_launch.hpp and compiled in
/// product_*.cpp.
template <class Z>
void launch_product_of(const ProductProblem<Z>& problem, ProductTiling tiling, const Exec& exec,
                       KernelResources* resources = nullptr);
/// The same with products and sums in double; compiled in product_wide.cpp.
template <class Z>
void launch_wide_product_of(const ProductProblem<Z>& problem, ProductTiling tiling, const Exec& exec);

/// Whether an address is a multiple of the size of a number, as asynchronous copies of GPUs require.
template <class Z>
bool is_aligned_number(const Z* p) {
  return reinterpret_cast<std::uintptr_t>(p) % sizeof(Z) == 0;
}

/// Whether matrices can be read in pieces of n numbers, 16 bytes.
template <class Z>
bool has_aligned_rows(const Matrices<Z>& m) {
  constexpr std::int64_t n = Sixteen<std::remove_const_t<Z>>::n;
  bool aligned = reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.row_stride % n == 0;
  for (const std::int64_t stride : m.strides) aligned = aligned && stride % n == 0;
  return aligned;
}

}  // namespace kov::detail
