// SPDX-License-Identifier: MIT
#include "kov/stencil/functions/slice_values.hpp"

#include "kov/core/lattice/site.hpp"

namespace kov::detail {

namespace {

/// The sites of each local slice, as slots of a subset: [slice][site], in order of the slots.
struct SliceSlots {
  SliceSlots(const Lattice& lattice, Subset subset, int direction) {
    const Layout& layout = lattice.layout();
    const SiteRange range = layout.range(subset);
    const auto mu = std::size_t(direction);
    std::vector<std::vector<int>> slots(std::size_t(layout.extent()[mu]));
    for (int i = 0; i < range.n_outer; ++i)
      for (int lane = 0; lane < default_lanes; ++lane)
        if (layout.is_site(range.first + i, lane))
          slots[std::size_t(layout.coordinate(range.first + i, lane)[mu])].push_back(i * default_lanes + lane);
    std::vector<int> flat;
    first.push_back(0);
    for (const auto& slice : slots) {
      flat.insert(flat.end(), slice.begin(), slice.end());
      first.push_back(int(flat.size()));
      longest = std::max(longest, int(slice.size()));
    }
    host = flat;
    device = Buffer<int>("slots of slices", flat);
    first_device = Buffer<int>("first slots of slices", first);
  }

  std::vector<int> host, first;
  Buffer<int> device, first_device;
  int longest = 0;
};

constexpr int chunk_sites = 256;

/// One chunk of one slice of one number.
struct SliceChunkSum {
  const double* values;
  const int* slots;
  const int* first;
  double* partial;
  std::size_t n_lanes;
  int n, n_chunks;

  KOKKOS_FUNCTION void operator()(int i) const {
    const int slice = i / (n * n_chunks), k = i / n_chunks % n, chunk = i % n_chunks;
    const int begin = first[slice] + chunk * chunk_sites;
    const int end = begin + chunk_sites < first[slice + 1] ? begin + chunk_sites : first[slice + 1];
    double sum = 0;
    for (int j = begin; j < end; ++j) sum += values[std::size_t(k) * n_lanes + std::size_t(slots[j])];
    partial[i] = sum;
  }
};

}  // namespace

std::vector<double> sum_slices(const Lattice& lattice, Subset subset, int direction, int n,
                               const Buffer<double>& values, SumMode mode) {
  const SliceSlots& slots = lattice.remember<SliceSlots>(sentence("slots of slices", int(subset), direction),
                                                         [&] { return SliceSlots(lattice, subset, direction); });
  const auto mu = std::size_t(direction), width = std::size_t(n);
  const std::size_t n_lanes = std::size_t(lattice.layout().range(subset).n_outer) * default_lanes;
  const int n_slices = lattice.extent()[mu], n_local = int(slots.first.size()) - 1;
  const int origin = lattice.geometry().origin()[mu];
  std::vector<double> result(std::size_t(n_slices) * width);

  if (mode == SumMode::exact) {
    const std::vector<double> host = values.to_host();
    std::vector<double> mine;
    for (int s = 0; s < n_slices; ++s)
      for (int k = 0; k < n; ++k) {
        mine.clear();
        if (s >= origin && s < origin + n_local)
          for (int j = slots.first[std::size_t(s - origin)]; j < slots.first[std::size_t(s - origin) + 1]; ++j)
            mine.push_back(host[std::size_t(k) * n_lanes + std::size_t(slots.host[std::size_t(j)])]);
        result[std::size_t(s) * width + std::size_t(k)] = exact_sum(lattice.comm(), mine, lattice.volume());
      }
    return result;
  }

  const int n_chunks = (slots.longest + chunk_sites - 1) / chunk_sites, n_partial = n_local * n * n_chunks;
  const SumScratchPool::Loan scratch = lattice.sum_scratch().borrow();
  double* const partial = scratch->partial(std::size_t(n_partial));
  Kokkos::parallel_for(
      "slice_sum", Kokkos::RangePolicy<>(0, n_partial),
      SliceChunkSum{values.data(), slots.device.data(), slots.first_device.data(), partial, n_lanes, n, n_chunks});
  std::vector<double> host(static_cast<std::size_t>(n_partial));
  copy_to_host(host.data(), partial, host.size() * sizeof(double));
  for (int i = 0; i < n_partial; ++i) {
    const int slice = i / (n * n_chunks), k = i / n_chunks % n;
    result[std::size_t(origin + slice) * width + std::size_t(k)] += host[std::size_t(i)];
  }
  lattice.comm().sum(result);
  return result;
}

}  // namespace kov::detail
