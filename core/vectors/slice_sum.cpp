// SPDX-License-Identifier: MIT
#include "kov/core/vectors/slice_sum.hpp"

#include "kov/core/launch/for_each_task.hpp"

#include <algorithm>
#include <limits>

namespace kov {

void SliceSums::sum_over_ranks(const Comm& comm) {
  comm.sum(std::span<double>(reinterpret_cast<double*>(z.data()), 2 * z.size()));
}

namespace detail {

/// Adds number i of a row of n_row over the slots of one slice, one after the other.
struct AddSlotsKernel {
  SliceTable::View slices;
  const double* partial;
  std::size_t n_row;
  double* sum;

  KOKKOS_FUNCTION void operator()(const int item) const {
    const std::size_t index = std::size_t(item), slice = index / n_row, i = index % n_row;
    double z = 0;
    for (int n = slices.slice_begin[slice]; n < slices.slice_begin[slice + 1]; ++n)
      z += partial[slices.slot_of_slice[n] * n_row + i];
    sum[index] = z;
  }
};

SlotSums::SlotSums(const std::string& name, const Lattice& lattice, const SliceTable& slices, int n_momenta,
                   int n_values, const Exec& exec)
    : slices_(slices), n_momenta_(n_momenta), n_values_(n_values), scratch_(lattice.sum_scratch().borrow()) {
  require(std::size_t(slices.n_slices()) * std::size_t(n_momenta) * std::size_t(n_values) * 2 <=
              std::size_t(std::numeric_limits<int>::max()),
          "sums over", slices.n_slices(), "slices of", n_values, "numbers for", n_momenta,
          "momenta are too many for one sweep: take the momenta in several");
  // So many are kept in the lattice's scratch memory, which is allocated only once.
  constexpr std::size_t most_kept = std::size_t(1) << 20;
  const std::size_t n = std::size_t(slices.n_slots()) * std::size_t(n_momenta) * std::size_t(n_values) * 2;
  if (n > most_kept) large_ = Buffer<double>(name, n, exec);
  data_ = large_.size() > 0 ? large_.data() : scratch_->partial(n);
}

SliceSums SlotSums::add_slots(const Exec& exec) const {
  const int n_slices = slices_.n_slices();
  const std::size_t n_row = std::size_t(n_momenta_) * n_values_ * 2, n = n_row * n_slices;
  double* const sum = scratch_->results(n);
  for_each_item("add_slots", int(n), AddSlotsKernel{slices_.view(), data_, n_row, sum}, exec);
  exec.fence("slice sums");
  SliceSums sums{n_momenta_, n_slices, n_values_, std::vector<std::complex<double>>(n / 2)};
  for (int t = 0; t < n_slices; ++t)
    for (int k = 0; k < n_momenta_; ++k)
      for (int v = 0; v < n_values_; ++v) {
        const double* from = sum + ((std::size_t(t) * n_momenta_ + k) * n_values_ + v) * 2;
        sums.z[(std::size_t(k) * n_slices + t) * n_values_ + v] = {from[0], from[1]};
      }
  return sums;
}

std::vector<double> exact_slice_sums(const Lattice& lattice, const SliceTable& slices, Subset subset,
                                     const std::vector<std::span<const double>>& values) {
  const std::size_t first = std::size_t(lattice.layout().range(subset).first) * default_lanes;
  std::vector<double> mine, sums;
  for (const std::vector<int>& places : slices.places_of_slices())
    for (const std::span<const double> of_lanes : values) {
      mine.clear();
      for (const int place : places) mine.push_back(of_lanes[std::size_t(place) - first]);
      sums.push_back(exact_sum(lattice.comm(), mine, lattice.volume()));
    }
  return sums;
}

#if !defined(KOKKOS_ENABLE_CUDA)

namespace {

/// Momenta whose phases are complex conjugates of each other share their products with real and imaginary parts of one
/// phase: the sums over sites of cos * z and sin * z make both.
struct MomentumPair {
  /// The second is -1 where the first is alone; both are -1 - k for the momentum k = 0, whose phase is 1.
  int first, second;
};

std::vector<MomentumPair> momentum_pairs(const std::vector<Momentum>& momenta) {
  std::vector<MomentumPair> pairs;
  std::vector<bool> done(momenta.size(), false);
  for (std::size_t k = 0; k < momenta.size(); ++k) {
    if (done[k]) continue;
    const Momentum opposite{-momenta[k][0], -momenta[k][1], -momenta[k][2]};
    if (momenta[k] == opposite) {
      pairs.push_back({-1 - int(k), -1 - int(k)});
      continue;
    }
    int other = -1;
    for (std::size_t i = k + 1; i < momenta.size() && other < 0; ++i)
      if (!done[i] && momenta[i] == opposite) other = int(i);
    if (other >= 0) done[std::size_t(other)] = true;
    pairs.push_back({int(k), other});
  }
  return pairs;
}

/// One chunk.  The numbers of a few sites are computed block by block and added to the sums of all momenta, which stay
/// in packs until the chunk ends; several sites at a time, as the sums of many numbers and momenta are larger than the
/// first-level cache.
template <class T>
struct PackChunkSum {
  static constexpr int N = default_lanes, n_sites = 4;
  using R = Pack<T, N>;

  ComputeBlock<T> compute;
  const void* kernel;
  SliceTable::View slices;
  typename MomentumPhases<T>::View phases;
  Layout::View layout;
  const std::vector<MomentumPair>& pairs;
  ValueBlocks blocks;
  Complex<R>* memory;  // memory_size() for each thread
  double* partial;

  /// Sums, phases and numbers of a few sites.
  static std::size_t memory_size(int n_momenta, std::size_t n_pairs, const ValueBlocks& blocks) {
    return n_sums(n_momenta, n_pairs, blocks) + std::size_t(n_sites) * std::size_t(n_momenta + blocks.block);
  }

  /// Writes partial[((slot * n + momentum) * n_values + value) * 2].
  void operator()(int index, int thread) const {
    const SliceTable::Chunk chunk = slices.chunk[index];
    const std::size_t n = std::size_t(phases.n), n_written = n * std::size_t(blocks.n_values);
    Complex<R>* const sum = memory + std::size_t(thread) * memory_size(phases.n, pairs.size(), blocks);
    Complex<R>* const phase = sum + n_sums(phases.n, pairs.size(), blocks);
    Complex<R>* const value = phase + n * n_sites;
    std::fill(sum, phase, Complex<R>{R(T(0)), R(T(0))});
    for (int i = 0; i < chunk.count; i += n_sites)
      add(slices.outer + chunk.first + i, std::min(n_sites, chunk.count - i), value, phase, sum);
    for (std::size_t k = 0; k < pairs.size(); ++k) finish(pairs[k], sum, n + k);
    double* const to = partial + std::size_t(chunk.first_slot) * n_written * 2;
    const int* const slot = slices.lane_slot + chunk.lanes;
    if (std::all_of(slot, slot + N, [](int i) { return i == 0; })) {
      for (std::size_t i = 0; i < n_written; ++i) {
        to[2 * i] = sum_of_lanes(sum[i].re);
        to[2 * i + 1] = sum_of_lanes(sum[i].im);
      }
      return;
    }
    std::fill_n(to, std::size_t(chunk.n_slots) * n_written * 2, 0.0);
    for (std::size_t i = 0; i < n_written; ++i)
      for (int lane = 0; lane < N; ++lane) {
        if (slot[lane] < 0) continue;
        double* at = to + (std::size_t(slot[lane]) * n_written + i) * 2;
        at[0] += double(sum[i].re.lane(lane));
        at[1] += double(sum[i].im.lane(lane));
      }
  }

  /// The sums of `count` outer sites.
  void add(const int* outer, int count, Complex<R>* value, Complex<R>* phase, Complex<R>* sum) const {
    const bool at_rest = phases.n == 1 && pairs[0].first < 0;
    for (int s = 0; s < count && !at_rest; ++s)
      for (int lane = 0; lane < N; ++lane) {
        const Coord x = layout.coordinate(outer[s], lane);
        for (int k = 0; k < phases.n; ++k) {
          const Complex<T> p = phases(x, k);
          phase[s * phases.n + k].re.set_lane(lane, p.re);
          phase[s * phases.n + k].im.set_lane(lane, p.im);
        }
      }
    const int n_values = blocks.n_values, block = blocks.block;
    for (int b = 0; b < blocks.n_blocks(); ++b) {
      const int here = std::min(block, n_values - b * block);
      compute(kernel, outer, count, b, block, value);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const MomentumPair pair = pairs[k];
        if (pair.first < 0) {
          Complex<R>* to = sum + (-1 - pair.first) * n_values + b * block;
          for (int v = 0; v < here; ++v)
            for (int s = 0; s < count; ++s) to[v] += value[s * block + v];
          continue;
        }
        const int other = pair.second >= 0 ? pair.second : phases.n + int(k);
        add_pair(phase + pair.first, count, value, here, sum + pair.first * n_values + b * block,
                 sum + other * n_values + b * block);
      }
    }
  }

 private:
  /// Of a pair the sums with cos and sin are where those of its two momenta will be; sin of one alone is at the end.
  static std::size_t n_sums(int n_momenta, std::size_t n_pairs, const ValueBlocks& blocks) {
    return (std::size_t(n_momenta) + n_pairs) * std::size_t(blocks.n_values);
  }
  static double sum_of_lanes(const R& r) {
    double sum = double(r.lane(0));
    for (int lane = 1; lane < N; ++lane) sum += double(r.lane(lane));
    return sum;
  }
  void add_pair(const Complex<R>* phase, int count, const Complex<R>* value, int here, Complex<R>* with_cos,
                Complex<R>* with_sin) const {
    for (int v = 0; v < here; ++v) {
      Complex<R> c = with_cos[v], s = with_sin[v];
      for (int site = 0; site < count; ++site) {
        const Complex<R>&p = phase[site * phases.n], &z = value[site * blocks.block + v];
        c.re += p.re * z.re;
        c.im += p.re * z.im;
        s.re += p.im * z.re;
        s.im += p.im * z.im;
      }
      with_cos[v] = c;
      with_sin[v] = s;
    }
  }
  /// C + i S and C - i S of the sums C with cos and S with sin.
  void finish(const MomentumPair& pair, Complex<R>* sum, std::size_t alone) const {
    if (pair.first < 0) return;
    const std::size_t n_values = std::size_t(blocks.n_values);
    Complex<R>*first = sum + std::size_t(pair.first) * n_values,
    *second = sum + (pair.second >= 0 ? std::size_t(pair.second) : alone) * n_values;
    for (std::size_t v = 0; v < n_values; ++v) {
      const Complex<R> c = first[v], s = times_i(second[v]);
      first[v] = c + s;
      second[v] = c - s;
    }
  }
};

}  // namespace

template <class T>
void sum_pack_chunks(const std::string& name, const Lattice& lattice, const SliceTable& slices,
                     const std::vector<Momentum>& momenta, const MomentumPhases<T>& phases, const ValueBlocks& blocks,
                     ComputeBlock<T> compute, const void* kernel, double* partial, const Exec& exec) {
  using Sum = PackChunkSum<T>;
  const std::vector<MomentumPair> pairs = momentum_pairs(momenta);
  std::vector<Complex<typename Sum::R>> memory(std::size_t(n_task_threads(exec)) *
                                               Sum::memory_size(phases.size(), pairs.size(), blocks));
  for_each_task(name, slices.n_chunks(),
                Sum{compute, kernel, slices.view(), phases.view(), lattice.layout().view(), pairs, blocks,
                    memory.data(), partial},
                exec);
}

template void sum_pack_chunks(const std::string&, const Lattice&, const SliceTable&, const std::vector<Momentum>&,
                              const MomentumPhases<float>&, const ValueBlocks&, ComputeBlock<float>, const void*,
                              double*, const Exec&);
template void sum_pack_chunks(const std::string&, const Lattice&, const SliceTable&, const std::vector<Momentum>&,
                              const MomentumPhases<double>&, const ValueBlocks&, ComputeBlock<double>, const void*,
                              double*, const Exec&);

#endif

}  // namespace detail

}  // namespace kov
