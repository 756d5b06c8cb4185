// SPDX-License-Identifier: MIT
//
// Private to column_matrix.cpp: Gram matrices of columns on GPUs, by tensor cores in double precision for fields of
// floats too, and rotations, by tensor cores for doubles.  Tiles need few registers per thread, so that the kernels are
// bound by memory.
#pragma once

#include "kov/core/launch/thread_blocks.hpp"
#include "kov/core/site/complex.hpp"
#include "kov/core/vectors/column_matrix_kernels.hpp"
#include "kov/core/vectors/group_sums.hpp"

#include <type_traits>

namespace kov::detail {

#if defined(KOKKOS_ENABLE_CUDA)

/// c += a b with matrices a of 8 rows and 4 columns and b of 4 rows and 8 columns, spread over a warp: thread 4 i + j
/// holds a_ij, b_ji, and c_ik for k = 2 j and 2 j + 1.
__device__ __forceinline__ void multiply_add_tile(double (&c)[2], double a, double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  const int thread = int(threadIdx.x) % 32;
  for (int k = 0; k < 4; ++k) {
    const double of_row = __shfl_sync(0xffffffffu, a, thread / 4 * 4 + k);
    for (int column = 0; column < 2; ++column)
      c[column] += of_row * __shfl_sync(0xffffffffu, b, (thread % 4 * 2 + column) * 4 + k);
  }
#else
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
#endif
}

/// Inner products of 8 columns of a and 8 of b, a tile: tiles that cover all columns are numbered row by row.  Past the
/// last column comes that column again.  A kernel of a sum (group_sums.hpp).
template <class View>
struct GramTiles {
  static constexpr int rows = 8, columns = 8, n_sums = 2 * rows * columns;
  View a, b;
  GramShape shape;

  /// Number threadIdx.x of a tile, real and imaginary parts in turns, added over the sites of this block; threads past
  /// n_sums get no number.
  __device__ __forceinline__ double add_sites(const SiteRange& range, int tile) const {
    constexpr int n_warps = sum_threads / 32;
    const int thread = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, in_tile = thread / 4;
    const int row = min(tile / shape.tiles_in_row * rows + in_tile, shape.n_rows - 1);
    const int column = min(tile % shape.tiles_in_row * columns + in_tile, shape.n_columns - 1);
    double rr[2]{}, ii[2]{}, ri[2]{}, ir[2]{};  // sums of a.re b.re, a.im b.im, a.re b.im, a.im b.re
    for (int i = int(blockIdx.x) * n_warps + warp; i < range.n_outer; i += int(gridDim.x) * n_warps) {
      const int outer = range.outer(i);
      const bool is_full = range.holds(outer, default_lanes - 1, default_lanes);
#pragma unroll 1
      for (int k = 0; k < View::n_complex; ++k) {
        Complex<typename View::Real> v[default_lanes / 4], w[default_lanes / 4];
        for_my_lanes([&](int s, int lane) {
          v[s] = a.element(LaneSite{outer, lane}, row, k);
          w[s] = b.element(LaneSite{outer, lane}, column, k);
        });
        if (!is_full)
          for_my_lanes([&](int s, int lane) {
            if (!range.holds(outer, lane, default_lanes)) v[s] = w[s] = {0, 0};
          });
        for_my_lanes([&](int s, int) {
          const Complex<double> x = to_double(v[s]), y = to_double(w[s]);
          multiply_add_tile(rr, x.re, y.re);
          multiply_add_tile(ii, x.im, y.im);
          multiply_add_tile(ri, x.re, y.im);
          multiply_add_tile(ir, x.im, y.re);
        });
      }
    }
    __shared__ double of_warp[n_warps][n_sums];
    for (int j = 0; j < 2; ++j) {
      double* const to = of_warp[warp] + 2 * (in_tile * columns + thread % 4 * 2 + j);
      to[0] = rr[j] + ii[j];
      to[1] = ri[j] - ir[j];
    }
    __syncthreads();
    double sum = 0;
    if (threadIdx.x < n_sums)
      for (int other = 0; other < n_warps; ++other) sum += of_warp[other][threadIdx.x];
    return sum;
  }

 private:
  /// f(s, lane) for the lanes that this thread reads.
  template <class Function>
  static __device__ __forceinline__ void for_my_lanes(const Function& f) {
    kov::unroll<default_lanes / 4>([&](int s) { f(s, 4 * s + int(threadIdx.x) % 4); });
  }
};

/// A rotation of doubles in which a warp makes some complex numbers of the sites of an outer site.
template <class View>
struct RotationTiles {
  static constexpr int threads = 256, numbers = 3, slots = View::n_complex / numbers;
  static_assert(View::n_complex % numbers == 0);
  Rotation<View> rotation;
  SiteRange range;

  /// slot: of `numbers` complex numbers; re and im: the matrix, [input][output].
  template <class Matrix>
  __device__ __forceinline__ void rotate(int outer, int slot, const Matrix& re, const Matrix& im) const {
    constexpr int n_tiles = default_lanes / 8, n_chunks = 2;
    const int row = int(threadIdx.x) % 32 / 4, j = int(threadIdx.x) % 4;
    kov::unroll<numbers>([&](int number) {
      const int k = slot * numbers + number;
      double sum_re[n_tiles][2]{}, sum_im[n_tiles][2]{};
      if (rotation.adds)
        for_my_outputs(outer, row, j, [&](int s, int i, LaneSite x, int output) {
          const Complex<double> z = rotation.out.element(x, rotation.first_group + output, k);
          sum_re[s][i] = z.re;
          sum_im[s][i] = z.im;
        });
#pragma unroll 1
      for (int first = 0; first < rotation.n_in; first += 4 * n_chunks) {
        Complex<double> z[n_tiles][n_chunks];
        kov::unroll<n_tiles>([&](int s) {
          kov::unroll<n_chunks>([&](int chunk) {
            // Past the last column that column again, which the matrix multiplies by 0.
            const int column = rotation.first_in + min(first + 4 * chunk + j, rotation.n_in - 1);
            z[s][chunk] = rotation.in.element(LaneSite{outer, 8 * s + row}, column, k);
          });
        });
        kov::unroll<n_chunks>([&](int chunk) {
          const double r = re[first + 4 * chunk + j][row], i = im[first + 4 * chunk + j][row];
          kov::unroll<n_tiles>([&](int s) {
            const Complex<double> x = z[s][chunk];
            multiply_add_tile(sum_re[s], x.re, r);
            multiply_add_tile(sum_re[s], x.im, -i);
            multiply_add_tile(sum_im[s], x.re, i);
            multiply_add_tile(sum_im[s], x.im, r);
          });
        });
      }
      for_my_outputs(outer, row, j, [&](int s, int i, LaneSite x, int output) {
        rotation.out.set_element(x, rotation.first_group + output, k, Complex<double>{sum_re[s][i], sum_im[s][i]});
      });
    });
  }

 private:
  /// f(s, i, site, output) for the sums [s][i] that this thread has of columns that there are.
  template <class Function>
  __device__ __forceinline__ void for_my_outputs(int outer, int row, int j, const Function& f) const {
    kov::unroll<default_lanes / 8>([&](int s) {
      const LaneSite x{outer, 8 * s + row};
      for (int i = 0; i < 2; ++i)
        if (2 * j + i < rotation.n_out && range.holds(outer, x.lane, default_lanes)) f(s, i, x, 2 * j + i);
    });
  }
};

/// A rotation by n_warps warps, whose blocks share the matrix.
template <class Tiles>
struct RotationBlocks {
  Tiles tiles;
  int n_warps;

  __device__ __forceinline__ void operator()() const {
    constexpr int inputs = int(std::extent_v<decltype(tiles.rotation.re)>), outputs = 8;
    __shared__ double re[inputs][outputs], im[inputs][outputs];
    for (int i = int(threadIdx.x); i < inputs * outputs; i += Tiles::threads) {
      re[i / outputs][i % outputs] = tiles.rotation.re[i / outputs][i % outputs];
      im[i / outputs][i % outputs] = tiles.rotation.im[i / outputs][i % outputs];
    }
    __syncthreads();
    const int warp = (int(blockIdx.x) * Tiles::threads + int(threadIdx.x)) / 32;
    if (warp < n_warps) tiles.rotate(tiles.range.outer(warp / Tiles::slots), warp % Tiles::slots, re, im);
  }
};

template <class Tiles>
struct ThreadBlocks<RotationBlocks<Tiles>> : StatedBlocks<Tiles::threads, 2, false> {};

/// A rotation in which a thread makes some complex numbers of a site, each column read once: faster than tiles for
/// floats, which those convert.
template <class View>
struct RotationNumbers {
  static constexpr int numbers = 3, slots = View::n_complex / numbers;
  static_assert(View::n_complex % numbers == 0);
  Rotation<View> rotation;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int slot) const {
    kov::unroll<numbers>([&](int number) { rotate(x, numbers * slot + number); });
  }

 private:
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void rotate(Site x, int k) const {
    using T = typename View::Real;
    constexpr int outputs = 8, at_once = 8;  // loads in flight
    Complex<T> sum[outputs];
    kov::unroll<outputs>([&](int i) {
      sum[i] = rotation.adds && i < rotation.n_out ? rotation.out.element(x, rotation.first_group + i, k)
                                                   : Complex<T>{T(0), T(0)};
    });
    for (int first = 0; first < rotation.n_in; first += at_once) {
      // Past the last column that column again, which the matrix multiplies by 0: so that loads depend on nothing.
      Complex<T> z[at_once];
      kov::unroll<at_once>([&](int j) {
        const int column = first + j < rotation.n_in ? first + j : rotation.n_in - 1;
        z[j] = rotation.in.element(x, rotation.first_in + column, k);
      });
      kov::unroll<at_once>([&](int j) {
        kov::unroll<outputs>([&](int i) {
          multiply_add(sum[i], Complex<T>{rotation.re[first + j][i], rotation.im[first + j][i]}, z[j]);
        });
      });
    }
    kov::unroll<outputs>([&](int i) {
      if (i < rotation.n_out) rotation.out.set_element(x, rotation.first_group + i, k, sum[i]);
    });
  }
};

/// Runs a rotation on the sites of y.
template <class F>
void launch_rotation(const F& y, const Rotation<typename F::View>& rotation, const Exec& exec) {
  using View = typename F::View;
  if constexpr (sizeof(typename View::Real) == 4) {
    using Numbers = RotationNumbers<View>;
    for_each_group("rotate", y, Numbers::slots, Numbers{rotation}, exec);
  } else {
    using Tiles = RotationTiles<View>;
    const SiteRange& range = y.range();
    const int n_warps = range.n_outer * Tiles::slots, blocks = (n_warps * 32 + Tiles::threads - 1) / Tiles::threads;
    if (n_warps > 0)
      for_each_thread_block("rotate", dim3(unsigned(blocks)), RotationBlocks<Tiles>{{rotation, range}, n_warps}, exec);
  }
}

#endif

}  // namespace kov::detail
