// SPDX-License-Identifier: MIT
//
// Private to slice_eigenvectors.cpp: the basis of a block Lanczos run on all time slices, and its projected matrices.
#pragma once

#include "kov/algebra/eigen/slice_eigenvectors.hpp"

#include <memory>

namespace kov::detail {

/// n + guards = kept vectors; basis = kept + a whole number of blocks; all with the next block within the slice.
struct LanczosShape {
  int n, block, kept, basis;

  /// dimension: complex numbers of a slice.
  static LanczosShape of(const SliceEigenParameters& parameters, int dimension);
};

/// The basis of all slices and what is known of the filter in it.
template <class T>
class SliceLanczos {
 public:
  using F = Field<ColorVector, T>;

  SliceLanczos(const Operator<F>& filter, const Lattice& lattice, const LanczosShape& shape, std::uint64_t seed);
  ~SliceLanczos();

  /// Fills the basis from the block that comes after the kept vectors, then keeps the Ritz vectors with the largest
  /// values on slices that are not locked.
  void cycle();
  /// Replaces the next block by random vectors, orthogonal to the kept ones.
  void renew_block();
  /// Rotates the kept vectors to diagonalise A; lowest first.
  void diagonalise(const Operator<F>& A);

  /// Of this rank's slices: Ritz value i of the filter, and the estimate of |f(A) v - theta v|.
  double theta(int slice, int i) const;
  double residual(int slice, int i) const;
  int n_slices() const;
  void lock(int slice, bool locked);
  /// Vectors that the filter was applied to.
  int filtered() const { return filtered_; }
  /// The kept vectors.
  F kept() const { return basis_.components(0, shape_.kept); }
  /// Eigenvalues of A that diagonalise() found.
  double value(int slice, int i) const;
  /// Memory for a block of vectors.
  F scratch() const { return basis_.components(shape_.basis, shape_.block); }

 private:
  struct Projected;

  /// Makes the block at `first` orthonormal, and orthogonal to all vectors before it.  What it had of those is added to
  /// the projected matrices, in the columns of the block before, if `records`.
  void orthonormalise(int first, bool records);
  void fill_random(const F& block);

  Operator<F> filter_;
  LanczosShape shape_;
  F basis_;
  std::uint64_t seed_;
  std::uint32_t random_blocks_ = 0;
  int filtered_ = 0, first_new_ = 0;
  std::unique_ptr<Projected> projected_;
};

}  // namespace kov::detail
