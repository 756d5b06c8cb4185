// SPDX-License-Identifier: MIT
//
// The ladder of kernels of P. O Conbhui, "Computing Two Point Correlators For A Lattice QCD Theory On Graphics
// Processor Units" (2012), chapter 4, "paper 000" in this room: each rung removes what limits the one before.  They are
// here to be measured; multiply() and traces() are what to use.
#pragma once

#include "kov/contractions/kernels/trace.hpp"

namespace kov {

/// Teams of 16 x 16 threads, a number of each product for every thread.
enum class ProductRung {
  /// Every factor from memory.
  naive,
  /// Tiles of 16 x 16 numbers in scratch memory.
  tiled,
  /// Real and imaginary parts apart, rows padded: no two threads want different words of one bank.
  split,
  /// Pointers that move on, instead of indices that are multiplied.
  pointers,
  /// The next tile travels to registers while this one is used (double buffering).
  prefetch,
  /// The next numbers of the tile travel to registers too.
  prefetch_tile,
  /// Two, three or four left factors by one right factor.
  fused2,
  fused2_prefetch,
  fused3,
  fused3_prefetch,
  fused4,
  fused4_prefetch,
  /// Twice two left factors, one pair after the other.
  fused2_2,
  fused2_2_prefetch
};
inline constexpr int n_product_rungs = 14;

/// "naive", "tiled", ...
std::string name(ProductRung rung);

/// c_i = a_i b for i in [0, n_left): square matrices of n rows, one after another.  batched: one launch for all left
/// factors, instead of one for as many as the rung takes at a time.  Asynchronous.  Throws InputError for negative
/// numbers.
template <class T>
void multiply_on_rung(ProductRung rung, const Complex<T>* a, const Complex<T>* b, Complex<T>* c, int n, int n_left,
                      bool batched, const Exec& exec = {});

/// What a GPU tells of the kernel of a rung; T: float or double.
template <class T>
KernelResources rung_resources(ProductRung rung);
extern template KernelResources rung_resources<float>(ProductRung);
extern template KernelResources rung_resources<double>(ProductRung);

/// Kernels for traces of products, from simple to fast.
enum class TraceRung {
  /// A team for every trace; its threads' sums are added as a tree.
  single,
  /// The same, but one thread adds them: to debug.
  one_thread,
  /// Traces as a matrix product: teams of 16 x 16 threads, tiles in scratch memory.
  tiled,
  tiled_prefetch,
  /// traces(): parts of the inner index by different teams, several results for a thread.
  split_k
};
inline constexpr int n_trace_rungs = 5;
std::string name(TraceRung rung);

/// The traces of one pair, n_pairs = 1, are written to sums[i * n_right + j].  Asynchronous.
template <class T>
void traces_on_rung(TraceRung rung, const TraceProblem<Complex<T>>& problem, Complex<double>* sums,
                    TraceWorkspace& workspace, const Exec& exec = {});

extern template void multiply_on_rung(ProductRung, const Complex<float>*, const Complex<float>*, Complex<float>*, int,
                                      int, bool, const Exec&);
extern template void multiply_on_rung(ProductRung, const Complex<double>*, const Complex<double>*, Complex<double>*,
                                      int, int, bool, const Exec&);
extern template void traces_on_rung(TraceRung, const TraceProblem<Complex<float>>&, Complex<double>*, TraceWorkspace&,
                                    const Exec&);
extern template void traces_on_rung(TraceRung, const TraceProblem<Complex<double>>&, Complex<double>*, TraceWorkspace&,
                                    const Exec&);

}  // namespace kov
