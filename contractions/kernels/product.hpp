// SPDX-License-Identifier: MIT
//
// Batched matrix products for contractions: C = A B, with gamma_5 on both sides of A and a conjugate on request.
#pragma once

#include "kov/contractions/blas/blas.hpp"
#include "kov/contractions/kernels/matrices.hpp"

#include <span>
#include <string>

namespace kov {

class Tuner;

/// What replaces A by gamma_5 A gamma_5 for a matrix whose index is (spin, eigenvector), spin slow.
enum class Gamma5Fold {
  none,
  /// gamma_5 = diag(1, 1, -1, -1), the DeGrand-Rossi basis that this library uses.
  signs,
  /// gamma_5 exchanges the upper and the lower half, as in eq. (4.6) of the paper that ladder/ladder.hpp names.
  exchange
};

/// Tilings of a product.  All give the same numbers up to rounding.
enum class ProductTiling {
  /// The fastest for this device, type and size.
  automatic,
  /// Tiles of the register outer product (hierarchical tiling), rows x columns: 32 x 32, 64 x 64 and 128 x 128 numbers
  /// a team; 2 x 4, 4 x 8 and 8 x 8 a thread.  Of complex doubles `large` has 128 x 64 and 8 x 4.  The first two are
  /// the tile sets of H.-L. Wu, "GPU Matrix Multiplication" (CSE 260).
  small,
  medium,
  large,
  /// 64 x 64 numbers a team and 4 x 4 a thread, deeper tiles of k.
  square,
  /// 64 x 64 numbers a team, 8 x 4 a thread (of complex doubles 4 x 4), three stages of prefetching.
  deep,
  /// 64 x 64 numbers a team, multiplied by tensor cores (NVIDIA, compute capability 8.0 and later).  Doubles are
  /// multiplied as they are.  A product of floats is three of TF32 numbers, and sums over eight of the inner index are
  /// added in float: within tensor_bound() of the exact sum.  Infinite floats, and finite ones beyond 3.4e38, make NaN.
  tensor,
  /// CPUs alone: blocks for the caches, tiles in SIMD registers.
  packs,
  /// The BLAS that the options give.  gamma_5 takes four products of quarter matrices, a conjugate one more sweep.
  vendor
};

/// "automatic", "small", ...
std::string name(ProductTiling tiling);
/// Those that this build and this device have, without automatic and vendor.
std::span<const ProductTiling> product_tilings();

/// What multiply() makes of a product, and by which kernel.
struct ProductOptions {
  Gamma5Fold gamma5 = Gamma5Fold::none;
  /// Stores the complex conjugate of the product; changes nothing for real numbers.
  bool conjugate = false;
  /// Products and sums of float in double precision; what is stored is rounded to float once.  Tiles of GPUs are then
  /// `small`, `tensor`, or `square` for all others.
  bool wide_sums = false;
  ProductTiling tiling = ProductTiling::automatic;
  /// For ProductTiling::vendor, and for the tuner to choose.  It sums in the type of the data: not with wide_sums.
  Blas blas = {};
  /// Makes `automatic` the fastest of all tilings and the BLAS for the shape of the product: the first call with a
  /// shape times them, on a part of the batch, and the tuner keeps the answer in its file.  All of them are within
  /// tensor_bound(); last bits change with the choice.  Its ranks make the same calls; Comm::self() is for a tuner of
  /// one rank.
  Tuner* tuner = nullptr;
};

/// c = a b for every number of the batch; with Gamma5Fold c = (gamma_5 a gamma_5) b.  Sizes are arbitrary; 8 flops for
/// each complex product, 2 for each real one.  c shares no memory with a and b.  Asynchronous.  Throws InputError when
/// the shapes do not fit, when gamma_5 is asked for an a that is not square with an even number of rows, when
/// memory is not aligned to the size of a number, and when this build lacks the tiling or the options the BLAS.
///
/// The right factors of a correlator come out of the forward perambulator alone: as tau(t, t') = gamma_5 tau(t', t)^+
/// gamma_5, the transpose of Phi^+ tau(t, t') is the conjugate of gamma_5 tau(t', t) gamma_5 Phi, which is what
/// traces() reads (paper 000 of ladder/ladder.hpp, eq. 4.9).
template <MatrixNumber Z>
void multiply(const Matrices<const Z>& a, const Matrices<const Z>& b, const Matrices<Z>& c, const Batch& batch = {},
              const ProductOptions& options = {}, const Exec& exec = {});

extern template void multiply(const Matrices<const float>&, const Matrices<const float>&, const Matrices<float>&,
                              const Batch&, const ProductOptions&, const Exec&);
extern template void multiply(const Matrices<const double>&, const Matrices<const double>&, const Matrices<double>&,
                              const Batch&, const ProductOptions&, const Exec&);
extern template void multiply(const Matrices<const Complex<float>>&, const Matrices<const Complex<float>>&,
                              const Matrices<Complex<float>>&, const Batch&, const ProductOptions&, const Exec&);
extern template void multiply(const Matrices<const Complex<double>>&, const Matrices<const Complex<double>>&,
                              const Matrices<Complex<double>>&, const Batch&, const ProductOptions&, const Exec&);

/// What a GPU tells of the kernel of a tiling.
template <MatrixNumber Z>
KernelResources product_resources(ProductTiling tiling);

extern template KernelResources product_resources<float>(ProductTiling);
extern template KernelResources product_resources<double>(ProductTiling);
extern template KernelResources product_resources<Complex<float>>(ProductTiling);
extern template KernelResources product_resources<Complex<double>>(ProductTiling);

}  // namespace kov
