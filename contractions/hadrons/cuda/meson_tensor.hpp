// SPDX-License-Identifier: MIT
//
// Private to meson.cpp: the tensor of all mesons, summed over the sites of time slices by the tensor cores of GPUs.
#pragma once

#include "kov/contractions/hadrons/cuda/site_phases.hpp"
#include "kov/contractions/kernels/cuda/tensor_cores.hpp"
#include "kov/contractions/sources/propagator.hpp"
#include "kov/core/field/stored_numbers.hpp"
#include "kov/core/vectors/slice_sum.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace kov::detail {

template <class T>
struct MesonTensorKernel;

/// Where there are no tensor cores.
template <class T>
struct SliceSumTiles<MesonTensorKernel<T>> : StatedSliceSum<16, 32, false> {};

#if defined(KOKKOS_ENABLE_CUDA)

/// Sums of A = conj(S2[a][c]) S1[b][d] over colours, times phases, over sites: at a site a product of 16 x 9 and 9 x 16
/// matrices, (c, a) by the nine pairs of colours by (d, b), in tiles of 8 x 8; then sums over sites of A, and of A
/// times the cosine and sine of each of n_pairs phases, which stay in registers.  Of equal propagators A is Hermitian,
/// a warp takes a site and three of the four tiles; else two warps take a site and two tiles each.
///
/// A team takes a chunk, in batches of n_sites lanes of an outer site, the next of which is copied into its second tile
/// meanwhile, and so are the phases of the next outer site.  In a tile the sites of a number are beside each other, as
/// in memory, or copies would be half as fast; their order depends on the number, so that the threads of a warp, which
/// read different numbers of one site, use different banks.
///
/// Sums of floats go over the sites of a warp's part of a chunk, then on in double.  A site takes 13824 flops (18432
/// for two propagators), 384 (512) for a momentum of zero and 1536 (2048) for each n_pairs, and 2304 or 4608 bytes and
/// 16 for each n_pairs in double.
template <class T, int n_pairs, bool same>
struct MesonTensorSums {
  static constexpr int max_threads = same || sizeof(T) == 4 ? 128 : 64, n_warps = max_threads / 32;
  static constexpr int n_sites = max_threads / 16, n_batches = default_lanes / n_sites;
  static constexpr int n_quarks = same ? 1 : 2, warps_of_site = same ? 1 : 2, n_tiles = same ? 3 : 2;
  static constexpr int n_rows = 1 + 2 * n_pairs, n_numbers = 144, n_values = 256;
  /// Phases of an outer site.
  static constexpr int n_phases = default_lanes * n_pairs;
  static_assert(n_batches > 1, "the number of an outer site is copied with the first batch of the one before it");
  /// Numbers of n_sites sites that lie in 128 bytes, as a power of two.
  static constexpr int numbers_of_line = 128 / (n_sites * int(sizeof(Complex<T>))) == 2 ? 1 : 0;
  static constexpr std::size_t tile_bytes =
      2 * (n_quarks * n_sites * n_numbers + n_phases) * sizeof(Complex<T>) + (default_lanes + 4) * sizeof(int);
  /// As few registers as leave room for so many teams, whose tiles must fit beside each other into 160 KiB.
  static constexpr int wanted_teams = (n_pairs == 0 ? 512 : n_pairs == 1 || sizeof(T) == 4 ? 384 : 256) / max_threads;
  static constexpr int min_teams = wanted_teams < int(163840 / tile_bytes) ? wanted_teams : int(163840 / tile_bytes);
  using View = FieldView<Spinor, T>;
  using Number = StoredComplex<T>;  // loaded at once

  View s1, s2;
  SliceTable::View slices;
  /// [outer][lane][pair]
  const Complex<T>* phases;
  int n_momenta, rest;
  OppositeMomenta pairs[3];
  double* partial;

  template <class TeamT>
  KOKKOS_FUNCTION void operator()(const TeamT& team) const {
    Number* const numbers = team.template tile<Number>(2 * n_quarks * n_sites * n_numbers);
    Number* const phase = team.template tile<Number>(2 * n_phases);
    int *const here = team.template tile<int>(default_lanes), *const outers = team.template tile<int>(4);
    const SliceTable::Chunk chunk = slices.chunk[team.index()];
    const int thread = team.thread(), n = chunk.count * n_batches;
    for (int slot = 0; slot < chunk.n_slots; ++slot) {
      Sums sums;
      repeat<n_rows>([&](int r) { repeat<4 * n_tiles>([&](int i) { sums.z[r][i / 4][i % 4] = 0; }); });
      if (thread < default_lanes) here[thread] = slices.lane_slot[chunk.lanes + thread] == slot;
      int outer = slices.outer[chunk.first];
      start_batch(chunk, outer, 0, thread, numbers, phase, outers);
      end_copy_group();
      for (int batch = 0; batch < n; ++batch) {
        if (const int next = batch + 1; next < n) {
          if (next % n_batches == 0) outer = outers[next / n_batches % 2];
          start_batch(chunk, outer, next, thread, numbers, phase, outers);
        }
        end_copy_group();
        wait_for_copies<1>();
        team.barrier();
        const Number* const now = numbers + batch % 2 * n_quarks * n_sites * n_numbers;
        const Number* const phase_now = phase + batch / n_batches % 2 * n_phases;
        const int first = batch % n_batches * n_sites;
#pragma unroll 1
        for (int site = thread / 32 / warps_of_site; site < n_sites; site += n_warps / warps_of_site)
          if (here[first + site]) add_site(now, site, thread, phase_now + (first + site) * n_pairs, sums);
        team.barrier();
      }
      write(team, chunk, slot, sums, reinterpret_cast<Complex<double>*>(numbers));
    }
  }

 private:
  /// Of the tiles of this warp: real and imaginary parts of two columns each; rows are one, and the cosines and sines
  /// of pairs.
  struct Sums {
    T z[n_rows][n_tiles][4];
  };

  /// Rows and columns of tile k of a warp, in eights.
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int tile_row(int k) { return same ? k / 2 : k; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int tile_column(int k, int warp) {
    return same ? (k + 1) / 2 : warp % 2;
  }
  /// Where a tile has a number of a site.  Number 4 (r + 16 j) + t of a site is that of the spins r = (c, a) and of the
  /// pair 4 j + t of colours, 128 + r that of the last pair.
  static KOKKOS_FORCEINLINE_FUNCTION int place(int number, int site) {
    return number * n_sites + (site ^ (number >> numbers_of_line & (n_sites - 1)));
  }

  /// Starts to copy a batch, with the first of an outer site its phases, and the number of the outer site after it.
  KOKKOS_FORCEINLINE_FUNCTION void start_batch(const SliceTable::Chunk& chunk, int outer, int batch, int thread,
                                               Number* numbers, Number* phase, int* outers) const {
    const int first = batch % n_batches * n_sites;
    const int site = thread % n_sites, mine = thread / n_sites, t = mine % 4, a = mine / 4;
    // Of pair k of colours (source, sink) and source spin c = 0, from one sink spin a to the next 3 numbers further.
    const auto number = [](int k, int a, int c) { return (3 * c + k / 3) * 12 + 3 * a + k % 3; };
    for (int quark = 0; quark < n_quarks; ++quark) {
      const Complex<T>* const from =
          reinterpret_cast<const Complex<T>*>((quark == 0 ? s2 : s1).unchecked_address(outer, 0)) + first + site;
      Number* const to = numbers + (batch % 2 * n_quarks + quark) * n_sites * n_numbers + place(mine, site);
      for (int j = 0; j < 2; ++j) {
        const Complex<T>* const of_colors = from + number(4 * j + t, a, 0) * default_lanes;
        repeat<4>([&](int c) {
          start_tile_copy<Number>(to + 16 * (4 * j + c) * n_sites, of_colors + 36 * c * default_lanes, true);
        });
      }
      start_tile_copy<Number>(to + 128 * n_sites, from + number(8, t, a) * default_lanes, true);
    }
    if (batch % n_batches != 0) return;
    const int k = batch / n_batches;
    repeat<(n_phases + max_threads - 1) / max_threads>([&](int part) {
      const int i = part * max_threads + thread;
      if (i < n_phases)
        start_tile_copy<Number>(phase + k % 2 * n_phases + i, phases + std::ptrdiff_t(outer) * n_phases + i, true);
    });
    if (thread == 0 && k + 1 < chunk.count)
      start_tile_copy<int>(outers + (k + 1) % 2, slices.outer + chunk.first + k + 1, true);
  }

  /// Rows of a tile of P, conj(P) being the left factor, are eight spins with real and, as rows 8 to 15, imaginary
  /// parts, columns are eight pairs of colours.  So P with the real and imaginary parts of S gives x = (Pr Sr, Pi Sr)
  /// and y = (Pr Si, Pi Si), of which conj(P) S has the sum Pr Sr + Pi Si and the difference Pr Si - Pi Sr.  The last
  /// pair of colours is multiplied without tensor cores.
  KOKKOS_FORCEINLINE_FUNCTION void add_site(const Number* numbers, int site, int thread, const Number* phase,
                                            Sums& sums) const {
    const int warp = thread / 32, g = thread % 32 / 4, t = thread % 4;
    const Number* const p = numbers + place(4 * g + t, site);
    const auto last = [&](int quark, int spins) {
      return numbers[quark * n_sites * n_numbers + place(128 + spins, site)];
    };
    using Factor = TensorNumber<T>;
    Factor left[2][4], right[2][2][2];
    repeat<2>([&](int r) {
      const Number u = p[32 * n_sites * r], v = p[32 * n_sites * (r + 2)];
      left[r][0] = Factor::cut(u.re);
      left[r][1] = Factor::cut(u.im);
      left[r][2] = Factor::cut(v.re);
      left[r][3] = Factor::cut(v.im);
    });
    Number left_last[2], right_last[2][2];
    repeat<2>([&](int r) { left_last[r] = last(0, 8 * r + g); });
    repeat<(same ? 2 : 1)>([&](int column) {
      if constexpr (same) {
        repeat<4>([&](int i) { right[column][i % 2][i / 2] = left[column][i]; });
      } else {
        const Number* const s = p + (n_sites * n_numbers + 32 * n_sites * (warp % 2));
        repeat<2>([&](int k) {
          const Number z = s[64 * n_sites * k];
          right[0][0][k] = Factor::cut(z.re);
          right[0][1][k] = Factor::cut(z.im);
        });
      }
      repeat<2>([&](int i) { right_last[column][i] = last(n_quarks - 1, 8 * (same ? column : warp % 2) + 2 * t + i); });
    });
    T x[n_tiles][4], y[n_tiles][4];
    repeat<n_tiles>([&](int k) {
      const Number z = left_last[tile_row(k)];
      repeat<2>([&](int i) {
        const Number s = right_last[same ? tile_column(k, 0) : 0][i];
        x[k][i] = z.re * s.re;
        x[k][2 + i] = z.im * s.re;
        y[k][i] = z.re * s.im;
        y[k][2 + i] = z.im * s.im;
      });
    });
    add_products(left, right, x, y);
    repeat<n_tiles>([&](int k) {
      repeat<2>([&](int i) {
        x[k][i] += y[k][2 + i];
        y[k][i] -= x[k][2 + i];
      });
    });
    repeat<2 * n_tiles>([&](int i) {
      sums.z[0][i / 2][i % 2] += x[i / 2][i % 2];
      sums.z[0][i / 2][2 + i % 2] += y[i / 2][i % 2];
    });
    repeat<n_pairs>([&](int pair) {
      const Number w = phase[pair];
      repeat<2 * n_tiles>([&](int i) {
        sums.z[1 + 2 * pair][i / 2][i % 2] += w.re * x[i / 2][i % 2];
        sums.z[1 + 2 * pair][i / 2][2 + i % 2] += w.re * y[i / 2][i % 2];
        sums.z[2 + 2 * pair][i / 2][i % 2] += w.im * x[i / 2][i % 2];
        sums.z[2 + 2 * pair][i / 2][2 + i % 2] += w.im * y[i / 2][i % 2];
      });
    });
  }
  static KOKKOS_FORCEINLINE_FUNCTION void add_products(const TensorNumber<double> (&left)[2][4],
                                                       const TensorNumber<double> (&right)[2][2][2],
                                                       double (&x)[n_tiles][4], double (&y)[n_tiles][4]) {
    repeat<n_tiles>([&](int k) {
      tensor_multiply_add(x[k], left[tile_row(k)], right[same ? tile_column(k, 0) : 0][0]);
      tensor_multiply_add(y[k], left[tile_row(k)], right[same ? tile_column(k, 0) : 0][1]);
    });
  }
  static KOKKOS_FORCEINLINE_FUNCTION void add_products(const TensorNumber<float> (&left)[2][4],
                                                       const TensorNumber<float> (&right)[2][2][2],
                                                       float (&x)[n_tiles][4], float (&y)[n_tiles][4]) {
    const auto add_term = [&]<int term>(std::integral_constant<int, term>) {
      repeat<n_tiles>([&](int k) {
        tensor_term<term, false>(x[k], left[tile_row(k)], right[same ? tile_column(k, 0) : 0][0]);
        tensor_term<term, false>(y[k], left[tile_row(k)], right[same ? tile_column(k, 0) : 0][1]);
      });
    };
    add_term(std::integral_constant<int, 0>());
    add_term(std::integral_constant<int, 1>());
    add_term(std::integral_constant<int, 2>());
  }

  /// Adds up the warps, one after the other, and writes the sums of each momentum.  all: two tensors.
  template <class TeamT>
  KOKKOS_FORCEINLINE_FUNCTION void write(const TeamT& team, const SliceTable::Chunk& chunk, int slot, const Sums& sums,
                                         Complex<double>* all) const {
    const int warp = team.thread() / 32, g = team.thread() % 32 / 4, t = team.thread() % 4;
    repeat<n_pairs + 1>([&](int set) {
      for (int turn = 0; turn < n_warps / warps_of_site; ++turn) {
        if (turn == warp / warps_of_site)
          repeat<2>([&](int part) {
            if (set == 0 && part == 1) return;
            const int r = set == 0 ? 0 : 2 * set - 1 + part;
            repeat<2 * n_tiles>([&](int i) {
              const int k = i / 2, row = 8 * tile_row(k) + g, column = 8 * tile_column(k, warp) + 2 * t + i % 2;
              const Complex<double> z{double(sums.z[r][k][i % 2]), double(sums.z[r][k][2 + i % 2])};
              add(all + part * n_values, turn, row, column, z);
              if (same && k == 1) add(all + part * n_values, turn, column, row, conj(z));
            });
          });
        team.barrier();
      }
      if (set == 0) {
        put(team, chunk, slot, rest, [&](int v) { return all[v]; });
      } else {
        const Complex<double>*const with_cos = all, *const with_sin = all + n_values;
        const OppositeMomenta& pair = pairs[set > 0 ? set - 1 : 0];
        put(team, chunk, slot, pair.first, [&](int v) {
          return Complex<double>{with_cos[v].re - with_sin[v].im, with_cos[v].im + with_sin[v].re};
        });
        put(team, chunk, slot, pair.second, [&](int v) {
          return Complex<double>{with_cos[v].re + with_sin[v].im, with_cos[v].im - with_sin[v].re};
        });
      }
      team.barrier();
    });
  }
  /// Row (c, a), column (d, b); value (4 c + d) 16 + 4 a + b.
  static KOKKOS_FORCEINLINE_FUNCTION void add(Complex<double>* all, int turn, int row, int column, Complex<double> z) {
    Complex<double>& to = all[(row / 4 * 4 + column / 4) * 16 + row % 4 * 4 + column % 4];
    to = turn == 0 ? z : to + z;
  }
  template <class TeamT, class F>
  KOKKOS_FORCEINLINE_FUNCTION void put(const TeamT& team, const SliceTable::Chunk& chunk, int slot, int momentum,
                                       const F& value) const {
    if (momentum < 0) return;
    double* const to =
        partial + (std::size_t(chunk.first_slot + slot) * n_momenta + momentum) * std::size_t(n_values) * 2;
    team.share(n_values, [&](int v) {
      const Complex<double> z = value(v);
      to[2 * v] = z.re;
      to[2 * v + 1] = z.im;
    });
  }
};

/// The 256 sums of the meson tensor, on a device with tensor cores.  Asynchronous.
template <class T>
SlotSums meson_tensor_sums(const Propagator<T>& s1, const Propagator<T>& s2, const std::vector<Momentum>& momenta,
                           const Coord& source, const Exec& exec) {
  constexpr int n_values = 256;
  constexpr std::size_t at_once = 3;
  const Lattice& lattice = s1.lattice();
  const SliceTable& slices = SliceTable::of(lattice);
  SlotSums sums("meson tensor", lattice, slices, int(momenta.size()), n_values, exec);
  std::vector<int> resting;
  std::vector<OppositeMomenta> moving;
  for (const OppositeMomenta& pair : opposite_momenta(momenta)) {
    if (pair.rests)
      resting.push_back(pair.first);
    else
      moving.push_back(pair);
  }
  std::optional<SitePhases<T>> phases;
  if (!moving.empty()) phases.emplace(lattice, momenta, source, moving.size() == 1 ? 1 : int(at_once), exec);
  const auto launch_for = [&]<int n_pairs, bool same>(int rest, std::size_t first) {
    using Kernel = MesonTensorSums<T, n_pairs, same>;
    Kernel kernel{s1.columns().view(), s2.columns().view(), slices.view(), nullptr, int(momenta.size()), rest, {},
                  sums.data()};
    std::vector<int> numbers(n_pairs, -1);
    for (std::size_t k = 0; k < numbers.size() && first + k < moving.size(); ++k) {
      kernel.pairs[k] = moving[first + k];
      numbers[k] = moving[first + k].first;
    }
    if (n_pairs > 0) kernel.phases = phases->of(numbers);
    for_each_team("meson tensor", {slices.n_chunks(), Kernel::max_threads, Kernel::tile_bytes}, kernel, exec);
  };
  const auto launch = [&]<int n_pairs>(std::integral_constant<int, n_pairs>, int rest, std::size_t first) {
    if (s1.columns().data() == s2.columns().data())
      launch_for.template operator()<n_pairs, true>(rest, first);
    else
      launch_for.template operator()<n_pairs, false>(rest, first);
  };
  std::size_t rests = 0;
  for (std::size_t first = 0; first < moving.size(); first += at_once) {
    const int rest = rests < resting.size() ? resting[rests++] : -1;
    if (moving.size() - first == 1)
      launch(std::integral_constant<int, 1>(), rest, first);
    else
      launch(std::integral_constant<int, 3>(), rest, first);
  }
  for (; rests < resting.size(); ++rests) launch(std::integral_constant<int, 0>(), resting[rests], 0);
  return sums;
}

#endif

}  // namespace kov::detail
