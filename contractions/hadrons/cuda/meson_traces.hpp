// SPDX-License-Identifier: MIT
//
// Private to meson.cpp: the traces of meson channels, from the tensor of all mesons, on GPUs.
#pragma once

#include "kov/core/launch/for_each_item.hpp"

#include <cstddef>
#include <cstdint>

namespace kov::detail {

/// A trace of two gamma matrices, Tr[g5 S2^+ g5 Gamma_sink S1 Gamma_source], as 16 numbers of the tensor, one for each
/// sink spin a of S2 and source spin d of S1, times powers of i.
struct MesonTrace {
  /// Four fields of two bits for each of four spins: for each a the sink spin of S1, and a power of i; then for each d
  /// the source spin of S2, and a power of i.
  std::uint32_t bits = 0;

  KOKKOS_FORCEINLINE_FUNCTION constexpr int field(int which, int spin) const {
    return int(bits >> (8 * which + 2 * spin) & 3);
  }
  /// Which of the 256 numbers.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int place(int a, int d) const {
    return (4 * field(2, d) + d) * 16 + 4 * a + field(0, a);
  }
  /// Of i.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int power(int a, int d) const { return (field(1, a) + field(3, d)) & 3; }
};

/// Traces to[((channel * n_momenta + momentum) * n_slices + time) * 2] of tensors that are laid out as SliceSums, times
/// counted from source_time.
struct MesonTracesKernel {
  static constexpr int most_channels = 256;

  const double* tensor;
  int n_momenta, n_slices, source_time;
  MesonTrace traces[most_channels];
  double* to;

  KOKKOS_FUNCTION void operator()(int item) const {
    const int time = item % n_slices, momentum = item / n_slices % n_momenta;
    const MesonTrace trace = traces[item / n_slices / n_momenta];
    const double* const z =
        tensor + (std::size_t(momentum) * std::size_t(n_slices) + std::size_t((time + source_time) % n_slices)) * 512;
    double sum[2] = {0, 0};
    for (int a = 0; a < 4; ++a)
      for (int d = 0; d < 4; ++d) {
        const int place = trace.place(a, d), power = trace.power(a, d);
        const double re = z[2 * place], im = z[2 * place + 1], x = power % 2 == 0 ? re : im,
                     y = power % 2 == 0 ? im : re;
        sum[0] += power == 1 || power == 2 ? -x : x;
        sum[1] += power >= 2 ? -y : y;
      }
    to[2 * std::size_t(item)] = sum[0];
    to[2 * std::size_t(item) + 1] = sum[1];
  }
};

}  // namespace kov::detail
