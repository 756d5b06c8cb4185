// SPDX-License-Identifier: MIT
//
// Private to meson.cpp: the tensor of all mesons, summed over the sites of time slices by the tensor cores of GPUs.
#pragma once

#include "kov/contractions/kernels/cuda/tensor_cores.hpp"
#include "kov/contractions/sources/propagator.hpp"
#include "kov/core/vectors/slice_sum.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kov::detail {

template <class T>
struct MesonTensorKernel;

/// Where there are no tensor cores, or they are slower.
template <class T>
struct SliceSumTiles<MesonTensorKernel<T>> : StatedSliceSum<16, 32, false> {};

#if defined(KOKKOS_ENABLE_CUDA)

/// Sums of conj(S2[a][c]) S1[b][d] over colours and sites: a product of 16 x k and k x 16 matrices, (c, a) by (d, b),
/// in which k counts colours and sites.  A team takes a chunk, its warps eight lanes of an outer site in turn;
/// n_momenta at a time are read together, 0 stands for a momentum of zero.  n_groups teams share a chunk: the one with
/// number g takes the momenta momenta[0] + g, ...  Sums of T go over eight lanes of an outer site, then in double.  A
/// site takes 18432 flops for each momentum and is read once for n_momenta of them.
template <class T, int n_momenta, bool same>
struct MesonTensorSums {
  static constexpr int max_threads = 256, min_teams = n_momenta > 1 ? 1 : 2, n_warps = max_threads / 32;
  /// Lanes are taken eight at a time.
  static constexpr int n_steps = default_lanes / 8, n_sets = n_momenta > 0 ? n_momenta : 1, n_values = 256;
  static constexpr std::size_t tile_bytes = sizeof(Complex<double>) * n_values;
  using View = FieldView<Spinor, T>;
  using Sums = TensorSums<Complex<T>, Complex<T>, 1, 2>;

  View s1, s2;
  SliceTable::View slices;
  typename MomentumPhases<T>::View phases;
  Layout::View layout;
  int n_groups;
  int momenta[n_sets];
  double* partial;

  template <class TeamT>
  KOKKOS_FUNCTION void operator()(const TeamT& team) const {
    Complex<double>* const all = team.template tile<Complex<double>>(n_values);
    const SliceTable::Chunk chunk = slices.chunk[team.index() / n_groups];
    const int group = team.index() % n_groups;
    const int warp = team.thread() / 32, g = team.thread() % 32 / 4, t = team.thread() % 4;
    for (int slot = 0; slot < chunk.n_slots; ++slot) {
      Sums sums[n_sets];
      Totals total;
      repeat<n_sets>([&](int s) { sums[s].clear(); });
      if constexpr (is_single) total.clear();
      for (int i = warp; i < chunk.count * n_steps; i += n_warps) {
        add_lanes(slices.outer[chunk.first + i / n_steps], i % n_steps, slices.lane_slot + chunk.lanes, slot, group, g,
                  t, sums);
        if constexpr (is_single) total.take(sums);
      }
      for (int s = 0; s < n_sets; ++s) {
        for (int turn = 0; turn < n_warps; ++turn) {
          if (turn == warp)
            repeat<8>([&](int i) {
              const int n = i / 4, r = i % 4, row = g + r / 2 * 8, column = 8 * n + 2 * t + r % 2;
              const Complex<double> z{at(sums, total, s, n, 0, r), at(sums, total, s, n, 1, r)};
              // Row (c, a), column (d, b); value (4 c + d) 16 + 4 a + b.
              Complex<double>& to = all[(row / 4 * 4 + column / 4) * 16 + row % 4 * 4 + column % 4];
              to = turn == 0 ? z : to + z;
            });
          team.barrier();
        }
        const std::size_t row = std::size_t(chunk.first_slot + slot) * phases.n + momenta[s] + group;
        double* const to = partial + row * std::size_t(n_values) * 2;
        team.share(n_values, [&](int v) {
          to[2 * v] = all[v].re;
          to[2 * v + 1] = all[v].im;
        });
        team.barrier();
      }
    }
  }

 private:
  static constexpr bool is_single = std::is_same_v<T, float>;
  /// Sums of T, in double.
  struct Totals {
    double sum[n_sets][2][2][4];
    KOKKOS_FORCEINLINE_FUNCTION void clear() {
      repeat<n_sets>([&](int s) { repeat<16>([&](int i) { sum[s][i / 8][i / 4 % 2][i % 4] = 0; }); });
    }
    KOKKOS_FORCEINLINE_FUNCTION void take(Sums (&few)[n_sets]) {
      repeat<n_sets>([&](int s) {
        repeat<16>([&](int i) { sum[s][i / 8][i / 4 % 2][i % 4] += double(few[s].sum[0][i / 8][i / 4 % 2][i % 4]); });
        few[s].clear();
      });
    }
  };
  /// A sum of set s, which the compiler does not know.
  static KOKKOS_FORCEINLINE_FUNCTION double at(const Sums (&sums)[n_sets], const Totals& total, int s, int n, int part,
                                               int r) {
    double z = 0;
    repeat<n_sets>([&](int i) {
      if (i == s) z = is_single ? total.sum[i][n][part][r] : double(sums[i].sum[0][n][part][r]);
    });
    return z;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_lanes(int outer, int step, const int* lane_slot, int slot, int group, int g,
                                             int t, Sums (&sums)[n_sets]) const {
    const int lane[2] = {8 * step + t, 8 * step + t + 4};
    bool here[2];
    Complex<T> phase[n_sets][2];
    repeat<2>([&](int k) {
      here[k] = lane_slot[lane[k]] == slot;
      if constexpr (n_momenta > 0) {
        const Coord x = layout.coordinate(outer, lane[k]);
        repeat<n_sets>([&](int s) { phase[s][k] = phases(x, momenta[s] + group); });
      }
    });
#pragma unroll 3
    for (int colors = 0; colors < 9; ++colors) {
      const int source = colors / 3, sink = colors % 3;
      // [row g or g + 8][lane]
      Complex<T> p[2][2], s[2][2];
      repeat<2>([&](int down) {
        repeat<2>([&](int k) {
          const int spins = g + 8 * down, column = 3 * (spins / 4) + source, element = 3 * (spins % 4) + sink;
          p[down][k] = s2.element(LaneSite{outer, lane[k]}, column, element);
          s[down][k] = same ? p[down][k] : s1.element(LaneSite{outer, lane[k]}, column, element);
          if (!here[k]) p[down][k] = s[down][k] = {T(0), T(0)};
        });
      });
      TensorNumber<T> a[2][4];
      repeat<4>([&](int i) {
        a[0][i] = TensorNumber<T>(p[i % 2][i / 2].re);
        a[1][i] = TensorNumber<T>(-p[i % 2][i / 2].im);
      });
      repeat<n_sets>([&](int set) {
        TensorNumber<T> b[2][2][2];
        repeat<2>([&](int n) {
          repeat<2>([&](int k) {
            if constexpr (n_momenta == 0 && same) {
              b[n][0][k] = a[0][n + 2 * k];
              b[n][1][k] = -a[1][n + 2 * k];
            } else {
              const Complex<T> z = n_momenta > 0 ? phase[set][k] * s[n][k] : s[n][k];
              b[n][0][k] = TensorNumber<T>(z.re);
              b[n][1][k] = TensorNumber<T>(z.im);
            }
          });
        });
        sums[set].add_tiles(0, a, b);
      });
    }
  }
};

template <class T, int n_momenta>
void launch_meson_tensor(const Propagator<T>& s1, const Propagator<T>& s2, const SliceTable& slices,
                         const MomentumPhases<T>& phases, int n_groups, const int* momenta, double* partial,
                         const Exec& exec) {
  const auto launch = [&]<bool same>(std::bool_constant<same>) {
    using Kernel = MesonTensorSums<T, n_momenta, same>;
    Kernel kernel{s1.columns().view(),
                  s2.columns().view(),
                  slices.view(),
                  phases.view(),
                  s1.lattice().layout().view(),
                  n_groups,
                  {},
                  partial};
    std::copy_n(momenta, Kernel::n_sets, kernel.momenta);
    for_each_team("meson tensor", {slices.n_chunks() * n_groups, Kernel::max_threads, Kernel::tile_bytes}, kernel,
                  exec);
  };
  if (s1.columns().data() == s2.columns().data())
    launch(std::bool_constant<true>());
  else
    launch(std::bool_constant<false>());
}

/// Whether this device has tensor cores and they are faster than slice_sums().  Floats are three products each, which
/// for a moving meson take longer than adding up the tensors of the sites with phases.
template <class T>
bool has_meson_tensor(const std::vector<Momentum>& momenta) {
  const bool moves = std::any_of(momenta.begin(), momenta.end(), [](const Momentum& p) {
    return p != Momentum{0, 0, 0};
  });
  return has_tensor_cores() && (std::is_same_v<T, double> || !moves);
}

/// As slice_sums() of the meson tensor.
template <class T>
SliceSums meson_tensor_sums(const Propagator<T>& s1, const Propagator<T>& s2, const std::vector<Momentum>& momenta,
                            const Coord& source, const Exec& exec) {
  constexpr int n_values = 256;
  constexpr std::size_t at_once = 3;
  const Lattice& lattice = s1.lattice();
  const SliceTable& slices = SliceTable::of(lattice);
  const MomentumPhases<T> phases(lattice, momenta, source, exec);
  const SlotSums sums("meson tensor", lattice, slices, int(momenta.size()), n_values, exec);
  double* const partial = sums.data();
  std::vector<int> resting, moving;
  for (std::size_t k = 0; k < momenta.size(); ++k)
    (momenta[k] == Momentum{0, 0, 0} ? resting : moving).push_back(int(k));
  const auto launch = [&]<int n_momenta>(std::integral_constant<int, n_momenta>, const int* first, int n_groups = 1) {
    launch_meson_tensor<T, n_momenta>(s1, s2, slices, phases, n_groups, first, partial, exec);
  };
  if constexpr (std::is_same_v<T, double>) {
    // Chunks of a small lattice do not fill the device; all momenta of all chunks do.
    if (!moving.empty() && slices.n_chunks() < exec.cuda_device_prop().multiProcessorCount) {
      const int first = 0;
      launch(std::integral_constant<int, 1>(), &first, int(momenta.size()));
      return sums.add_slots(exec);
    }
    std::size_t first = 0;
    for (; first + at_once <= moving.size(); first += at_once)
      launch(std::integral_constant<int, int(at_once)>(), moving.data() + first);
    for (; first < moving.size(); ++first) launch(std::integral_constant<int, 1>(), moving.data() + first);
  }
  for (const int k : resting) launch(std::integral_constant<int, 0>(), &k);
  return sums.add_slots(exec);
}

#endif

}  // namespace kov::detail
