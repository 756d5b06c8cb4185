// SPDX-License-Identifier: MIT
//
// Traces of products of two bases of matrices: all Tr[A_i B_j] at once, as one matrix product with a long inner index;
// what distillation's correlators are made of (Peardon et al., Phys. Rev. D 80 (2009) 054506, arXiv:0905.2160).
#pragma once

#include "kov/contractions/blas/blas.hpp"
#include "kov/contractions/kernels/matrices.hpp"
#include "kov/core/base/memory.hpp"

#include <span>
#include <string>

namespace kov {

class Tuner;

/// Pairs of bases: C_ij(p) = sum over k of A_i(p, k) B_j(p, k) for i in [0, n_left), j in [0, n_right), k in
/// [0, length), without further factors.  For matrices A and B of N rows, length is N^2 and B lies transposed: sum over
/// (x, y) of A[x][y] B[y][x].  A_i(p, k) is at left[p * left_stride + i * length + k], B_j likewise.
template <class Z>
struct TraceProblem {
  /// A and B.
  const Z *left = nullptr, *right = nullptr;
  int n_left = 0, n_right = 0;
  std::int64_t length = 0;
  int n_pairs = 1;
  std::int64_t left_stride = 0, right_stride = 0;
};

/// Where the traces of pair p go: to data[((first + p) % modulus) * n_left * n_right + i * n_right + j], in memory
/// where kernels run; added to what is there, or written.  Pairs of one call have different places: modulus >= n_pairs.
struct TraceSums {
  Complex<double>* data = nullptr;
  int first = 0, modulus = 0;
  bool add = false;
};

/// Tilings of traces: the outputs of a thread, n_left and n_right that a team covers.  All give the same numbers up to
/// rounding.
enum class TraceTiling {
  automatic,
  of4,
  of8,
  of12,
  of16,
  of18,
  of24,
  of32,
  of33,
  of48,
  of64,
  of65,
  /// As of33 and of65, with blocks of 3 x 3 and 5 x 5 results a thread.
  of33_square,
  of65_square,
  /// Up to 16 x 8, 16 x 16, ..., 64 x 64 traces a team, multiplied by tensor cores as ProductTiling::tensor says; in
  /// double precision 64 x 32 for the last.
  tensor8,
  tensor16,
  tensor32,
  tensor48,
  tensor64,
  /// CPUs alone: lanes are neighbours in the inner index.
  packs,
  /// The BLAS that the options give, part by part of the inner index.
  vendor
};

/// "automatic", "4 x 4", ..., "tensor 8", ..., "packs", "vendor"
std::string name(TraceTiling tiling);
/// Those that this build and this device have, without automatic and vendor.
std::span<const TraceTiling> trace_tilings();

/// By which kernel traces() works, and in which precision.
struct TraceOptions {
  TraceTiling tiling = TraceTiling::automatic;
  /// Products and sums of float in double precision.  Without it a sum of float has some thousands of terms at most;
  /// these are added in double.
  bool wide_sums = false;
  /// Parts that the inner index is cut into; 0: as many as fill a large GPU with teams of the tiling.  Their number
  /// never depends on the machine.
  int n_splits = 0;
  /// As in ProductOptions.
  Blas blas = {};
  Tuner* tuner = nullptr;
};

/// Memory that traces() works in, for all calls on one instance; grows as needed.
class TraceWorkspace {
 public:
  Complex<double>* reserve(std::size_t n);

 private:
  Buffer<Complex<double>> memory_;
};

/// All traces of all pairs, in an order of sums that depends on the shapes alone, except by a BLAS.  8 n_left n_right
/// length flops and (n_left + n_right) length numbers read, for each pair.  Any sizes.  Asynchronous, unless the
/// workspace grows. Throws InputError for negative sizes, for fewer places than pairs, for memory that is not aligned
/// to the size of a number, and when this build lacks the tiling or the options the BLAS.
template <class Z>
void traces(const TraceProblem<Z>& problem, const TraceSums& sums, TraceWorkspace& workspace,
            const TraceOptions& options = {}, const Exec& exec = {});

extern template void traces(const TraceProblem<Complex<float>>&, const TraceSums&, TraceWorkspace&, const TraceOptions&,
                            const Exec&);
extern template void traces(const TraceProblem<Complex<double>>&, const TraceSums&, TraceWorkspace&,
                            const TraceOptions&, const Exec&);

/// What a GPU tells of the kernel of a tiling; Z: Complex<float> or Complex<double>.
template <class Z>
KernelResources trace_resources(TraceTiling tiling);
extern template KernelResources trace_resources<Complex<float>>(TraceTiling);
extern template KernelResources trace_resources<Complex<double>>(TraceTiling);

namespace detail {
/// How many parts the inner index is cut into for teams of which so many run on a multiprocessor at a time.
int trace_splits(std::int64_t length, int n_pairs, int teams);
}  // namespace detail

}  // namespace kov
