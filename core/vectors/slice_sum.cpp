// SPDX-License-Identifier: MIT
#include "kov/core/vectors/slice_sum.hpp"

namespace kov {

void SliceSums::sum_over_ranks(const Comm& comm) {
  comm.sum(std::span<double>(reinterpret_cast<double*>(z.data()), 2 * z.size()));
}

namespace detail {

/// Adds number i of a row of n_row over the slots of one slice, one after the other.
struct AddSlotsKernel {
  SliceChunks::View slices;
  const double* partial;
  std::size_t n_row;
  double* sum;

  KOKKOS_FUNCTION void operator()(const std::size_t index) const {
    const std::size_t slice = index / n_row, i = index % n_row;
    double z = 0;
    for (int n = slices.slice_begin[slice]; n < slices.slice_begin[slice + 1]; ++n)
      z += partial[slices.slot_of_slice[n] * n_row + i];
    sum[index] = z;
  }
};

SlotSums::SlotSums(const std::string& name, const Lattice& lattice, const SliceChunks& slices, int n_momenta,
                   int n_values)
    : slices_(slices), n_momenta_(n_momenta), n_values_(n_values), scratch_(lattice.sum_scratch().borrow()) {
  // So many are kept in the lattice's scratch memory, which is allocated only once.
  constexpr std::size_t most_kept = std::size_t(1) << 20;
  const std::size_t n = std::size_t(slices.n_slots()) * std::size_t(n_momenta) * std::size_t(n_values) * 2;
  if (n > most_kept) large_ = Buffer<double>(name, n);
  data_ = large_.size() > 0 ? large_.data() : scratch_->partial(n);
}

SliceSums SlotSums::add_slots() const {
  const int n_slices = slices_.n_slices();
  const std::size_t n_row = std::size_t(n_momenta_) * n_values_ * 2, n = n_row * n_slices;
  double* const sum = scratch_->results(n);
  Kokkos::parallel_for("add_slots", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, n),
                       AddSlotsKernel{slices_.view(), data_, n_row, sum});
  Exec().fence("slice sums");
  SliceSums sums{n_momenta_, n_slices, n_values_, std::vector<std::complex<double>>(n / 2)};
  for (int t = 0; t < n_slices; ++t)
    for (int k = 0; k < n_momenta_; ++k)
      for (int v = 0; v < n_values_; ++v) {
        const double* from = sum + ((std::size_t(t) * n_momenta_ + k) * n_values_ + v) * 2;
        sums.z[(std::size_t(k) * n_slices + t) * n_values_ + v] = {from[0], from[1]};
      }
  return sums;
}

std::vector<double> exact_slice_sums(const Lattice& lattice, Subset subset, int direction, int n,
                                     const Buffer<double>& values) {
  const Layout& layout = lattice.layout();
  const SiteRange range = layout.range(subset);
  const auto mu = std::size_t(direction);
  std::vector<std::vector<std::size_t>> lanes(std::size_t(lattice.extent()[mu]));
  for (int i = 0; i < range.n_outer; ++i)
    for (int lane = 0; lane < default_lanes; ++lane)
      if (layout.is_site(range.first + i, lane)) {
        const int slice = layout.coordinate(range.first + i, lane)[mu] + lattice.geometry().origin()[mu];
        lanes[std::size_t(slice)].push_back(std::size_t(i) * default_lanes + std::size_t(lane));
      }
  const std::size_t n_lanes = std::size_t(range.n_outer) * default_lanes;
  const std::vector<double> host = values.to_host();
  std::vector<double> mine, sums;
  for (const auto& slice : lanes)
    for (int k = 0; k < n; ++k) {
      mine.clear();
      for (const std::size_t lane : slice) mine.push_back(host[std::size_t(k) * n_lanes + lane]);
      sums.push_back(exact_sum(lattice.comm(), mine, lattice.volume()));
    }
  return sums;
}

}  // namespace detail

}  // namespace kov
