// SPDX-License-Identifier: MIT
//
// Private to trace_launch.hpp: the shapes of tiles of traces on GPUs, and which of them suits how many operators.
#pragma once

#include "kov/contractions/kernels/cuda/trace_tensor_tiles.hpp"

#include <span>

namespace kov::detail {

/// As many teams of a shape that states none, and of a BLAS, are taken to run on a multiprocessor at a time.
inline constexpr int trace_teams_unless_stated = 4;

/// Shapes of tiles for tensor cores; TensorN suits N operators on each side.  In order: left and right operators of a
/// team's block of traces; warps of a group, down for left and across for right ones; groups, which share out the inner
/// index; numbers of the inner index in a tile (depth); tiles in flight or in use (stages); teams that must fit on a
/// multiprocessor, of which trace_splits() makes as many.  S: the type of the sums, Complex<float> or Complex<double>.
template <class S>
struct TraceTensorShapes {
  using Tensor8 = TraceTensorShape<16, 8, 1, 1, 4, 32, 4, 4>;
  using Tensor16 = TraceTensorShape<16, 16, 1, 1, 4, 32, 4, 4>;
  using Tensor32 = TraceTensorShape<32, 32, 1, 1, 4, 32, 2, 2>;
  using Tensor48 = TraceTensorShape<48, 48, 1, 2, 2, 16, 2, 2>;
  using Tensor64 = TraceTensorShape<64, 64, 2, 2, 1, 8, 3, 2>;
};
template <>
struct TraceTensorShapes<Complex<double>> {
  using Tensor8 = TraceTensorShape<16, 8, 1, 1, 2, 16, 3, 4>;
  using Tensor16 = TraceTensorShape<16, 16, 1, 2, 2, 16, 3, 4>;
  using Tensor32 = TraceTensorShape<32, 32, 2, 1, 1, 8, 3, 4>;
  using Tensor48 = TraceTensorShape<48, 48, 3, 1, 1, 8, 2, 2>;
  using Tensor64 = TraceTensorShape<64, 32, 2, 2, 1, 8, 2, 3>;
};

/// Shapes of tiles in registers; OfN suits N operators on each side.  In order: left and right operators of a thread's
/// block of traces; threads of a group, down for left and across for right ones; depth, as above; threads of a team, in
/// as many whole groups as fit, which share out the inner index; stages; teams that must fit on a multiprocessor, 1 if
/// left out.  Z: the type in memory, S: that of the sums.
template <class Z, class S>
struct TraceShapes {
  using Of4 = TraceShape<2, 2, 2, 2, 128, 128, 3, 4>;
  using Of8 = TraceShape<4, 2, 2, 4, 64, 128, 3, 4>;
  using Of12 = TraceShape<4, 3, 3, 4, 64, 128, 3, 4>;
  using Of16 = TraceShape<4, 4, 4, 4, 32, 128, 3, 4>;
  using Of18 = TraceShape<6, 3, 3, 6, 56, 128, 2, 3>;
  using Of24 = TraceShape<6, 4, 4, 6, 40, 128, 2, 3>;
  using Of32 = TraceShape<8, 4, 4, 8, 16, 128, 4, 3>;
  using Of33 = TraceShape<11, 3, 3, 11, 28, 256, 2, 2>;
  using Of48 = TraceShape<6, 6, 8, 8, 16, 128, 2, 3>;
  using Of64 = TraceShape<8, 4, 8, 16, 16, 128, 2, 3>;
  using Of65 = TraceShape<6, 6, 11, 11, 8, 128, 3, 3>;
  using Of33Square = TraceShape<3, 3, 11, 11, 16, 256, 4>;
  using Of65Square = TraceShape<5, 5, 13, 13, 16, 192, 2>;
};
/// Sums in double take twice the registers, and the memory in which groups add theirs.
template <>
struct TraceShapes<Complex<float>, Complex<double>> {
  using Of4 = TraceShape<2, 2, 2, 2, 128, 128, 3>;
  using Of8 = TraceShape<4, 2, 2, 4, 128, 128, 2>;
  using Of12 = TraceShape<4, 3, 3, 4, 64, 128, 2>;
  using Of16 = TraceShape<4, 4, 4, 4, 64, 128, 2>;
  using Of18 = TraceShape<6, 3, 3, 6, 64, 128, 2>;
  using Of24 = TraceShape<8, 4, 3, 6, 32, 128, 2>;
  using Of32 = TraceShape<8, 4, 4, 8, 16, 128, 4>;
  using Of48 = TraceShape<6, 6, 8, 8, 16, 128, 2>;
  using Of64 = TraceShape<8, 4, 8, 16, 16, 128, 2>;
  using Of33Square = TraceShape<3, 3, 11, 11, 16, 256, 4>;
  using Of65Square = TraceShape<5, 5, 13, 13, 16, 192, 2>;
  using Of33 = Of33Square;
  using Of65 = Of65Square;
};
template <>
struct TraceShapes<Complex<double>, Complex<double>> {
  using Of4 = TraceShape<2, 2, 2, 2, 64, 128, 3, 4>;
  using Of8 = TraceShape<4, 2, 2, 4, 64, 128, 2, 3>;
  using Of12 = TraceShape<4, 3, 3, 4, 32, 128, 2, 4>;
  using Of16 = TraceShape<4, 4, 4, 4, 32, 128, 2, 3>;
  using Of18 = TraceShape<3, 3, 6, 6, 32, 128, 2, 3>;
  using Of24 = TraceShape<4, 4, 6, 6, 16, 128, 2, 3>;
  using Of32 = TraceShape<4, 4, 8, 8, 16, 128, 2, 3>;
  using Of33 = TraceShape<6, 3, 6, 11, 9, 224, 2>;
  using Of48 = TraceShape<4, 4, 12, 12, 8, 288, 2>;
  using Of64 = TraceShape<4, 4, 16, 16, 8, 256, 2>;
  using Of65 = TraceShape<5, 5, 13, 13, 8, 192, 2>;
  using Of33Square = TraceShape<3, 3, 11, 11, 8, 256, 2>;
  using Of65Square = Of65;
};

/// The tiling that a model of a GPU finds fastest for n_left x n_right traces: a team's block of traces takes as long
/// as its products, or as reading its rows, at the rates that an H200 (in single precision) or an H100 reached with
/// each tiling.  Z: the type in memory.
template <class Z, bool sums_in_double>
TraceTiling best_trace_tiling(int n_left, int n_right) {
  struct Candidate {
    TraceTiling tiling;
    int most_left, most_right;  // operators of a team's block
    double rate;                // of products, Tflop/s; 8 flops each
    double bandwidth;           // of reading rows, Tbyte/s
    bool tensor = false;
  };
  using enum TraceTiling;
  constexpr Candidate single[] = {{of4, 4, 4, 20, 3.1},
                                  {of8, 8, 8, 18, 3.4},
                                  {of12, 12, 12, 28, 3.5},
                                  {of16, 16, 16, 27, 3.3},
                                  {of18, 18, 18, 29, 3.2},
                                  {of24, 24, 24, 32, 3.2},
                                  {of32, 32, 32, 36, 3},
                                  {of33, 33, 33, 31, 3},
                                  {of48, 48, 48, 39, 3},
                                  {of64, 64, 64, 43, 3},
                                  {of65, 66, 66, 38, 3},
                                  {tensor8, 16, 8, 22, 2.8, true},
                                  {tensor16, 16, 16, 30, 3.6, true},
                                  {tensor32, 32, 32, 47, 3, true},
                                  {tensor48, 48, 48, 57, 3, true},
                                  {tensor64, 64, 64, 58, 3, true}};
  constexpr Candidate in_double[] = {{of4, 4, 4, 7, 2.4},
                                     {of8, 8, 8, 6, 2.3},
                                     {of12, 12, 12, 6.3, 2.3},
                                     {of16, 16, 16, 8.1, 2.3},
                                     {of18, 18, 18, 12, 2.6},
                                     {of24, 24, 24, 13, 2.4},
                                     {of32, 32, 32, 17, 2.4},
                                     {of48, 48, 48, 13, 2.4},
                                     {of64, 64, 64, 17, 2.4},
                                     {of65, 65, 65, 12, 2.4},
                                     {tensor8, 16, 8, 15, 2.8, true},
                                     {tensor16, 16, 16, 20, 2.9, true},
                                     {tensor32, 32, 32, 38, 2.8, true},
                                     {tensor48, 48, 48, 36, 2.8, true},
                                     {tensor64, 64, 32, 36, 2.8, true}};
  const std::span<const Candidate> candidates =
      sums_in_double ? std::span<const Candidate>(in_double) : std::span<const Candidate>(single);
  TraceTiling best = of4;
  double least = 0;
  for (const Candidate& c : candidates) {
    if (c.tensor && !has_tensor_cores()) continue;
    const double down = (n_left + c.most_left - 1) / c.most_left, across = (n_right + c.most_right - 1) / c.most_right;
    const double products = 8 * down * across * c.most_left * c.most_right / c.rate,
                 reads = sizeof(Z) * (n_left * across + n_right * down) / c.bandwidth;
    const double time = products > reads ? products : reads;
    if (least == 0 || time < least) {
      least = time;
      best = c.tiling;
    }
  }
  return best;
}

}  // namespace kov::detail
