// SPDX-License-Identifier: MIT
//
// Fourier sums, over each slice of a lattice, of the numbers that a kernel computes at a site.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/momentum.hpp"
#include "kov/core/lattice/slice_table.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/vectors/cuda/slice_sum_tiles.hpp"
#include "kov/core/vectors/reduce.hpp"

#include <algorithm>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

namespace kov {

/// z[(momentum * n_slices + slice) * n_values + value], slices of the whole lattice.
struct SliceSums {
  int n_momenta, n_slices, n_values;
  std::vector<std::complex<double>> z;

  /// The n_values sums of a momentum and a global slice.
  const std::complex<double>* at(int momentum, int slice) const {
    return z.data() + (std::size_t(momentum) * n_slices + slice) * n_values;
  }
  /// Adds the sums of all ranks.  Collective.
  void sum_over_ranks(const Comm& comm);
};

/// How many complex numbers a kernel of slice_sums() computes at a site, and how many of them in one call: block b has
/// the numbers b * block to (b + 1) * block - 1; the last one has fewer where block does not divide n_values.
struct ValueBlocks {
  int n_values, block;

  int n_blocks() const { return (n_values + block - 1) / block; }
};

/// How many of its n_values numbers a kernel of slice_sums() is asked for in one call: all on hosts; on GPUs 16 at
/// most, or as many as SliceSumTiles<Kernel> says.
template <class Kernel>
inline constexpr int slice_sum_block = has_packs ? Kernel::n_values : detail::SliceSumTiles<Kernel>::block;

/// The blocks of a kernel whose n_values is known only at run time: one on hosts; on GPUs of 16 numbers, or as many as
/// SliceSumTiles<Kernel> says.
template <class Kernel>
ValueBlocks value_blocks(int n_values) {
  return {n_values, has_packs ? n_values : detail::SliceSumTiles<Kernel>::block};
}

namespace detail {

/// Memory for the sums of slots, partial[(((slot * n_momenta + momentum) * n_parts + part) * n_values + value) * 2],
/// where kernels run: the lattice's scratch memory or, for many, memory of its own.
class SlotSums {
 public:
  /// exec: of the kernels that write them.  n_parts: of the sites of a slot, summed apart.
  SlotSums(const std::string& name, const Lattice& lattice, const SliceTable& slices, int n_momenta, int n_values,
           const Exec& exec, int n_parts = 1);

  double* data() const { return memory_.data(); }
  /// Adds the slots and parts of each slice in index order, in a kernel.  Waits for exec.
  SliceSums add_slots(const Exec& exec) const;
  /// The same into sum, memory where kernels run that is laid out as SliceSums and has size() reals.  Asynchronous.
  void add_slots(double* sum, const Exec& exec) const;
  std::size_t size() const;

 private:
  const SliceTable& slices_;
  int n_momenta_, n_values_, n_parts_;
  SumScratchPool::Loan scratch_;
  SumMemory memory_;
};

#if !defined(KOKKOS_ENABLE_CUDA)
/// Outer sites, of which there are `count`, and the `n_next` that come later at the same step, whose data a kernel may
/// prefetch.  Where a kernel takes pairs, two of them are one.
struct OuterSites {
  const int* outer;
  int count;
  const int* next;
  int n_next;
};

/// Numbers at all lanes of a site.
template <class T, class Site>
using NumbersAtSite = Complex<Pack<T, outers_of_site<Site> * default_lanes>>;

/// Block b of a kernel whose type is not known to value[site * block], ...
template <class T, class Site>
using ComputeBlock = void (*)(const void* kernel, const OuterSites& sites, int b, int block,
                              NumbersAtSite<T, Site>* value);

template <class T, class Site, class Kernel>
void compute_block(const void* kernel, const OuterSites& sites, int b, int block, NumbersAtSite<T, Site>* value) {
  const Kernel mine = *static_cast<const Kernel*>(kernel);  // whose members no store can change
  for (int i = 0; i < sites.count; i += outers_of_site<Site>, value += block) {
    if constexpr (requires { mine.prefetch(PackSite{0}, b); })  // of a pair, whose sites share their blocks, too
      if (i < sites.n_next) mine.prefetch(PackSite{sites.next[i]}, b);
    mine(Site{sites.outer[i]}, b, value);
  }
}

/// The sums of all chunks in packs or pairs of packs, compiled once for all kernels.
template <class T, class Site>
void sum_pack_chunks(const std::string& name, const Lattice& lattice, const SliceTable& slices,
                     const std::vector<Momentum>& momenta, const MomentumPhases<T>& phases, const ValueBlocks& blocks,
                     ComputeBlock<T, Site> compute, const void* kernel, double* partial, const Exec& exec);
#endif

/// The sums over all ranks in exact mode, [slice of the whole lattice][k].  values[k]: as SiteValues has them.
/// Collective.
std::vector<double> exact_slice_sums(const Lattice& lattice, const SliceTable& slices, Subset subset,
                                     const std::vector<std::span<const double>>& values);

}  // namespace detail

/// sum over the sites x of this rank on each slice of e^{+i p.(x - source)} kernel(x), for every momentum, in one
/// sweep.  Not summed over ranks: combine values first if fewer are needed, then call sum_over_ranks() or Comm::sum.
/// Runs on exec and waits for it.
///
/// kernel(site, b, value), site a PackSite or LaneSite, or a PairSite where the kernel takes pairs as those of
/// for_each_site() do and the slices have them, writes the numbers of block b, Complex<R>, to value[0], ...; T
/// is what it computes in.  On a host kernel.prefetch(site, b), where there is one, asks for what block b of a later
/// site will read, or another part of that site.  On a GPU a team of threads keeps a block in scratch memory: it has at
/// most as many numbers as SliceSumTiles<Kernel> says.  Sums are taken in T over a few sites of a chunk, then in
/// double, in an order that depends on the decomposition but not on the number of threads.
///
/// Beside the kernel's own, a site takes 2 flops for each number and momentum that is zero, and 8 for others, which on
/// CPUs a momentum shares with its opposite.
template <class T, class Kernel>
SliceSums slice_sums(const std::string& name, const Lattice& lattice, const std::vector<Momentum>& momenta,
                     const Coord& source, const Kernel& kernel, const ValueBlocks& blocks, const SliceTable& slices,
                     const Exec& exec = {}) {
  const MomentumPhases<T> phases(lattice, momenta, source, exec);
  const detail::SlotSums sums(name, lattice, slices, phases.size(), blocks.n_values, exec);
#if !defined(KOKKOS_ENABLE_CUDA)
  const auto sum = [&]<class Site>(Site) {
    detail::sum_pack_chunks<T, Site>(name, lattice, slices, momenta, phases, blocks,
                                     &detail::compute_block<T, Site, Kernel>, &kernel, sums.data(), exec);
  };
  bool done = false;
  if constexpr (TakesPairs<Kernel>)
    if (done = slices.has_pairs(); done) sum(PairSite{});
  if (!done) sum(PackSite{});
#else
  using Tiles = detail::LaneSliceSum<Kernel, T, default_lanes>;
  require(blocks.block <= Tiles::block, "blocks of", blocks.block, "numbers of", name,
          "were asked for, and the kernel states", Tiles::block, "at most");
  for (int first = 0; first < phases.size(); first += Tiles::n_momenta) {
    const int count = phases.size() - first < Tiles::n_momenta ? phases.size() - first : Tiles::n_momenta;
    for_each_team(name, Tiles::shape(slices.n_chunks() * blocks.n_blocks(), kernel),
                  Tiles{kernel, slices.view(), phases.view(), lattice.layout().view(), blocks.n_blocks(),
                        blocks.n_values, blocks.block, first, count, sums.data()},
                  exec);
  }
#endif
  return sums.add_slots(exec);
}

/// The same over time slices of all sites, of a kernel that states how many numbers it has: static constexpr int
/// n_values; in blocks of slice_sum_block<Kernel>.
template <class T, class Kernel>
SliceSums slice_sums(const std::string& name, const Lattice& lattice, const std::vector<Momentum>& momenta,
                     const Coord& source, const Kernel& kernel, const Exec& exec = {}) {
  static_assert(
      !requires { Kernel::block; }, "a kernel states n_values alone; blocks of its own go into ValueBlocks");
  return slice_sums<T>(name, lattice, momenta, source, kernel, {Kernel::n_values, slice_sum_block<Kernel>},
                       SliceTable::of(lattice), exec);
}

}  // namespace kov
