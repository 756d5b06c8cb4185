// SPDX-License-Identifier: MIT
//
// Private to trace_launch.hpp: the shapes of tiles of traces on GPUs, and which of them suits how many operators.
#pragma once

#include "kov/contractions/kernels/trace_tiles.hpp"

namespace kov::detail {

/// Rows, columns of a thread; threads down and across in a group; depth; threads; stages; teams on a multiprocessor.  Z
/// is what lies in memory, S what is summed in.
template <class Z, class S>
struct TraceShapes {
  using Of4 = TraceShape<2, 2, 2, 2, 128, 128, 3>;
  using Of8 = TraceShape<4, 2, 2, 4, 128, 128, 2>;
  using Of12 = TraceShape<4, 3, 3, 4, 64, 128, 2>;
  using Of16 = TraceShape<4, 4, 4, 4, 64, 128, 2>;
  using Of18 = TraceShape<6, 3, 3, 6, 64, 128, 2>;
  using Of24 = TraceShape<8, 4, 3, 6, 32, 128, 2>;
  using Of32 = TraceShape<8, 4, 4, 8, 16, 128, 4>;
  using Of33 = TraceShape<9, 3, 4, 11, 16, 192, 4, 2>;
  using Of48 = TraceShape<6, 6, 8, 8, 16, 128, 2>;
  using Of64 = TraceShape<8, 4, 8, 16, 16, 128, 2>;
  using Of65 = TraceShape<6, 6, 11, 11, 16, 128, 2, 3>;
  using Of33Square = TraceShape<3, 3, 11, 11, 16, 256, 4>;
  using Of65Square = TraceShape<5, 5, 13, 13, 16, 192, 2>;
};
/// Sums in double take twice the registers, and the memory in which groups add theirs.
template <>
struct TraceShapes<Complex<float>, Complex<double>> : TraceShapes<Complex<float>, Complex<float>> {
  using Of33 = Of33Square;
  using Of65 = Of65Square;
};
template <>
struct TraceShapes<Complex<double>, Complex<double>> {
  using Of4 = TraceShape<2, 2, 2, 2, 64, 128, 3>;
  using Of8 = TraceShape<4, 2, 2, 4, 64, 128, 2>;
  using Of12 = TraceShape<4, 3, 3, 4, 32, 128, 2>;
  using Of16 = TraceShape<4, 4, 4, 4, 32, 128, 2>;
  using Of18 = TraceShape<3, 3, 6, 6, 32, 128, 2>;
  using Of24 = TraceShape<4, 4, 6, 6, 16, 128, 2>;
  using Of32 = TraceShape<4, 4, 8, 8, 16, 128, 2>;
  using Of33 = TraceShape<6, 3, 6, 11, 9, 224, 2>;
  using Of48 = TraceShape<4, 4, 12, 12, 8, 288, 2>;
  using Of64 = TraceShape<4, 4, 16, 16, 8, 256, 2>;
  using Of65 = TraceShape<5, 5, 13, 13, 8, 192, 2>;
  using Of33Square = TraceShape<3, 3, 11, 11, 8, 256, 2>;
  using Of65Square = Of65;
};

/// The tiling that a model of a GPU finds fastest: a block of results takes as long as its products, at the rate in
/// Tflop/s that an H100 reached in single precision, or as reading its rows.
inline TraceTiling best_trace_tiling(int n_left, int n_right) {
  struct Candidate {
    TraceTiling tiling;
    int most;
    double rate;
  };
  constexpr Candidate candidates[] = {
      {TraceTiling::of4, 4, 20},   {TraceTiling::of8, 8, 25},   {TraceTiling::of12, 12, 22},
      {TraceTiling::of16, 16, 23}, {TraceTiling::of18, 18, 24}, {TraceTiling::of24, 24, 18},
      {TraceTiling::of32, 32, 23}, {TraceTiling::of33, 33, 29}, {TraceTiling::of48, 48, 35},
      {TraceTiling::of64, 64, 42}, {TraceTiling::of65, 65, 31}};
  constexpr double bandwidth = 4;  // numbers of 8 bytes: Tbyte/s
  TraceTiling best = TraceTiling::of4;
  double least = 0;
  for (const Candidate& c : candidates) {
    const double blocks = double((n_left + c.most - 1) / c.most) * ((n_right + c.most - 1) / c.most);
    const double products = 8.0 * c.most * c.most / c.rate, reads = 8.0 * 2 * c.most / bandwidth;
    const double time = blocks * (products > reads ? products : reads);
    if (least == 0 || time < least) {
      least = time;
      best = c.tiling;
    }
  }
  return best;
}

}  // namespace kov::detail
