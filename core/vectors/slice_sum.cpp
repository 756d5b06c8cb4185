// SPDX-License-Identifier: MIT
#include "kov/core/vectors/slice_sum.hpp"

#include "kov/core/launch/for_each_task.hpp"
#include "kov/core/site/unroll.hpp"

#include <algorithm>
#include <limits>

namespace kov {

void SliceSums::sum_over_ranks(const Comm& comm) {
  comm.sum(std::span<double>(reinterpret_cast<double*>(z.data()), 2 * z.size()));
}

namespace detail {

/// Adds a real of a row of n_row over the slots of one slice and their parts, one after the other: sum has the order of
/// SliceSums.
struct AddSlotsKernel {
  SliceTable::View slices;
  const double* partial;
  std::size_t n_row, n_of_momentum, n_slices, n_parts;
  double* sum;

  KOKKOS_FUNCTION void operator()(const int item) const {
    const std::size_t index = std::size_t(item), slice = index / n_row, i = index % n_row, momentum = i / n_of_momentum,
                      value = i % n_of_momentum;
    double z = 0;
    for (int n = slices.slice_begin[slice]; n < slices.slice_begin[slice + 1]; ++n) {
      const double* const of_slot = partial + (slices.slot_of_slice[n] * n_row + momentum * n_of_momentum) * n_parts;
      for (std::size_t part = 0; part < n_parts; ++part) z += of_slot[part * n_of_momentum + value];
    }
    sum[(momentum * n_slices + slice) * n_of_momentum + value] = z;
  }
};

namespace {

/// How many reals the sums of slots are.  Throws InputError where those of slices are more than a kernel can count.
std::size_t reals_of_slots(const SliceTable& slices, int n_momenta, int n_values, int n_parts) {
  const std::size_t of_slot = std::size_t(n_momenta) * std::size_t(n_values) * 2;
  require(std::size_t(slices.n_slices()) * of_slot <= std::size_t(std::numeric_limits<int>::max()), "sums over",
          slices.n_slices(), "slices of", n_values, "numbers for", n_momenta,
          "momenta are too many for one sweep: take the momenta in several");
  return std::size_t(slices.n_slots()) * std::size_t(n_parts) * of_slot;
}

}  // namespace

SlotSums::SlotSums(const std::string& name, const Lattice& lattice, const SliceTable& slices, int n_momenta,
                   int n_values, const Exec& exec, int n_parts)
    : slices_(slices),
      n_momenta_(n_momenta),
      n_values_(n_values),
      n_parts_(n_parts),
      scratch_(lattice.sum_scratch().borrow()),
      memory_(name, *scratch_, reals_of_slots(slices, n_momenta, n_values, n_parts), exec) {}

std::size_t SlotSums::size() const {
  return std::size_t(slices_.n_slices()) * std::size_t(n_momenta_) * std::size_t(n_values_) * 2;
}

void SlotSums::add_slots(double* sum, const Exec& exec) const {
  const std::size_t n_of_momentum = std::size_t(n_values_) * 2;
  for_each_item("add_slots", int(size()),
                AddSlotsKernel{slices_.view(), data(), std::size_t(n_momenta_) * n_of_momentum, n_of_momentum,
                               std::size_t(slices_.n_slices()), std::size_t(n_parts_), sum},
                exec);
}

SliceSums SlotSums::add_slots(const Exec& exec) const {
  double* const sum = scratch_->results(size());
  add_slots(sum, exec);
  exec.fence("slice sums");
  const auto* const z = reinterpret_cast<const std::complex<double>*>(sum);
  return {n_momenta_, slices_.n_slices(), n_values_, {z, z + size() / 2}};
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

/// Opposite momenta share products with real and imaginary parts of one phase: the sums over sites of cos * z and sin *
/// z make both.  Of a momentum that rests there is only the first of these.
struct MomentumPair : OppositeMomenta {
  /// Of the sum with cos; that with sin is the next one.
  int row;
};

std::vector<MomentumPair> momentum_pairs(const std::vector<Momentum>& momenta) {
  std::vector<MomentumPair> pairs;
  int row = 0;
  for (const OppositeMomenta& pair : opposite_momenta(momenta)) {
    pairs.push_back({pair, row});
    row += pair.rests ? 1 : 2;
  }
  return pairs;
}

/// One chunk, a batch of its outer sites at a time.  Of a batch a block of numbers is summed for all momenta in packs,
/// which stay in the first-level cache, before the next block; what the kernel reads there stays in the second-level
/// cache.
template <class T, class Site>
struct PackChunkSum {
  static constexpr int outers = outers_of_site<Site>, N = outers * default_lanes;
  /// Outer sites of a batch, and those that are computed before they are added.
  static constexpr int n_batch = 16, n_together = 4 * outers;
  using R = Pack<T, N>;

  ComputeBlock<T, Site> compute;
  const void* kernel;
  SliceTable::View slices;
  typename MomentumPhases<T>::View phases;
  Layout::View layout;
  const std::vector<MomentumPair>& pairs;
  ValueBlocks blocks;
  Complex<R>* memory;  // memory_size() for each thread
  double* partial;

  /// Sums of a block, its numbers at a few sites, and phases of a batch.
  static std::size_t memory_size(const std::vector<MomentumPair>& pairs, const ValueBlocks& blocks) {
    return (n_rows(pairs) + std::size_t(n_together / outers)) * std::size_t(blocks.block) +
           std::size_t(n_batch / outers) * pairs.size();
  }

  /// Writes partial[((slot * n + momentum) * n_values + value) * 2].
  void operator()(int index, int thread) const {
    const SliceTable::Chunk chunk = slices.chunk[index];
    Complex<R>* const sum = memory + std::size_t(thread) * memory_size(pairs, blocks);
    Complex<R>* const value = sum + n_rows(pairs) * std::size_t(blocks.block);
    Complex<R>* const phase = value + n_together / outers * blocks.block;
    const int* const outer = slices.outer + chunk.first;
    // The sites of the next chunk follow.
    const int n_known = chunk.count + (index + 1 < slices.n_chunks ? slices.chunk[index + 1].count : 0);
    for (int first = 0; first < chunk.count; first += n_batch) {
      const int count = std::min(n_batch, chunk.count - first);
      make_phases(outer + first, count, phase);
      for (int b = 0; b < blocks.n_blocks(); ++b) {
        const int here = std::min(blocks.block, blocks.n_values - b * blocks.block);
        for (int i = 0; i < count; i += n_together) {
          const int n = std::min(n_together, count - i), next = first + count + i;
          compute(kernel, {outer + first + i, n, outer + next, std::min(n, n_known - next)}, b, blocks.block, value);
          for (std::size_t k = 0; k < pairs.size(); ++k)
            add(pairs[k], i == 0, phase + std::size_t(i / outers) * pairs.size() + k, n / outers, value, here, sum);
        }
        write(chunk, b, here, first > 0, sum);
      }
    }
  }

 private:
  static std::size_t n_rows(const std::vector<MomentumPair>& pairs) {
    return std::size_t(pairs.back().row + (pairs.back().rests ? 1 : 2));
  }
  /// phase[site * pairs + pair] of the first momentum of each pair.
  void make_phases(const int* outer, int count, Complex<R>* phase) const {
    if (pairs.size() == 1 && pairs[0].rests) return;
    for (int s = 0; s < count; s += outers)
      for (int lane = 0; lane < N; ++lane) {
        const Coord x = layout.coordinate(outer[s + lane / default_lanes], lane % default_lanes);
        for (const MomentumPair& pair : pairs) {
          const Complex<T> p = phases(x, pair.first);
          phase->re.set_lane(lane, p.re);
          phase->im.set_lane(lane, p.im);
          ++phase;
        }
        phase -= lane + 1 < N ? pairs.size() : 0;
      }
  }
  /// Adds the numbers at `count` sites to the sums of a pair, or begins these.
  void add(const MomentumPair& pair, bool begins, const Complex<R>* phase, int count, const Complex<R>* value, int here,
           Complex<R>* sum) const {
    const auto add_numbers = [&]<int n, bool moves>(int v) {
      add_few<n, moves>(begins, phase, count, value + v, sum + pair.row * blocks.block + v);
    };
    const int n_fours = here / 4;
    for (int i = 0; i < n_fours; ++i)
      pair.rests ? add_numbers.template operator()<4, false>(4 * i) : add_numbers.template operator()<4, true>(4 * i);
    for (int v = 4 * n_fours; v < here; ++v)
      pair.rests ? add_numbers.template operator()<1, false>(v) : add_numbers.template operator()<1, true>(v);
  }
  /// n numbers beside each other, whose sums stay in registers.
  template <int n, bool moves>
  void add_few(bool begins, const Complex<R>* phase, int count, const Complex<R>* value, Complex<R>* with_cos) const {
    Complex<R>* const with_sin = with_cos + blocks.block;
    Complex<R> c[n], s[n];
    kov::unroll<n>([&](int i) __attribute__((always_inline)) {
      c[i] = begins ? Complex<R>{R(T(0)), R(T(0))} : with_cos[i];
      if constexpr (moves) s[i] = begins ? Complex<R>{R(T(0)), R(T(0))} : with_sin[i];
    });
    for (int site = 0; site < count; ++site, phase += pairs.size(), value += blocks.block)
      kov::unroll<n>([&](int i) __attribute__((always_inline)) {
        const Complex<R> z = value[i];
        if constexpr (moves) {
          c[i].re += phase->re * z.re;
          c[i].im += phase->re * z.im;
          s[i].re += phase->im * z.re;
          s[i].im += phase->im * z.im;
        } else {
          c[i].re += z.re;
          c[i].im += z.im;
        }
      });
    kov::unroll<n>([&](int i) __attribute__((always_inline)) {
      with_cos[i] = c[i];
      if constexpr (moves) with_sin[i] = s[i];
    });
  }
  /// Writes the sums of block b, or adds them.
  void write(const SliceTable::Chunk& chunk, int b, int here, bool adds, const Complex<R>* sum) const {
    const int* const slot = slices.lane_slot + chunk.lanes;
    if (std::all_of(slot, slot + default_lanes, [](int i) { return i == 0; })) {
      write_slot(chunk, 0, b, here, adds, sum, [](const R& r) {
        double total = double(r.lane(0));
        for (int lane = 1; lane < N; ++lane) total += double(r.lane(lane));
        return total;
      });
      return;
    }
    for (int n = 0; n < chunk.n_slots; ++n)
      write_slot(chunk, n, b, here, adds, sum, [&](const R& r) {
        double total = 0;
        for (int lane = 0; lane < N; ++lane)
          if (slot[lane % default_lanes] == n) total += double(r.lane(lane));
        return total;
      });
  }
  /// Of one slot: C + i S and C - i S of the sums C with cos and S with sin.  total: of the lanes of a slot.
  template <class Total>
  void write_slot(const SliceTable::Chunk& chunk, int slot, int b, int here, bool adds, const Complex<R>* sum,
                  const Total& total) const {
    const auto put = [&](int momentum, int v, double re, double im) {
      const std::size_t row = std::size_t(chunk.first_slot + slot) * std::size_t(phases.n) + std::size_t(momentum);
      double* const to = partial + (row * std::size_t(blocks.n_values) + std::size_t(b * blocks.block + v)) * 2;
      to[0] = adds ? to[0] + re : re;
      to[1] = adds ? to[1] + im : im;
    };
    for (const MomentumPair& pair : pairs) {
      const Complex<R>*const c = sum + pair.row * blocks.block, *const s = c + blocks.block;
      for (int v = 0; v < here; ++v) {
        const double c_re = total(c[v].re), c_im = total(c[v].im);
        if (pair.rests) {
          put(pair.first, v, c_re, c_im);
          continue;
        }
        const double s_re = total(s[v].re), s_im = total(s[v].im);
        put(pair.first, v, c_re - s_im, c_im + s_re);
        if (pair.second >= 0) put(pair.second, v, c_re + s_im, c_im - s_re);
      }
    }
  }
};

}  // namespace

template <class T, class Site>
void sum_pack_chunks(const std::string& name, const Lattice& lattice, const SliceTable& slices,
                     const std::vector<Momentum>& momenta, const MomentumPhases<T>& phases, const ValueBlocks& blocks,
                     ComputeBlock<T, Site> compute, const void* kernel, double* partial, const Exec& exec) {
  using Sum = PackChunkSum<T, Site>;
  const std::vector<MomentumPair> pairs = momentum_pairs(momenta);
  std::vector<Complex<typename Sum::R>> memory(std::size_t(n_task_threads(exec)) * Sum::memory_size(pairs, blocks));
  for_each_task(name, slices.n_chunks(),
                Sum{compute, kernel, slices.view(), phases.view(), lattice.layout().view(), pairs, blocks,
                    memory.data(), partial},
                exec);
}

#define KOV_INSTANTIATE(T, Site)                                                                                     \
  template void sum_pack_chunks<T, Site>(const std::string&, const Lattice&, const SliceTable&,                      \
                                         const std::vector<Momentum>&, const MomentumPhases<T>&, const ValueBlocks&, \
                                         ComputeBlock<T, Site>, const void*, double*, const Exec&)
KOV_INSTANTIATE(float, PackSite);
KOV_INSTANTIATE(float, PairSite);
KOV_INSTANTIATE(double, PackSite);
KOV_INSTANTIATE(double, PairSite);
#undef KOV_INSTANTIATE

#endif

}  // namespace detail

}  // namespace kov
