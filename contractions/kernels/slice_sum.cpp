// SPDX-License-Identifier: MIT
#include "kov/contractions/kernels/slice_sum.hpp"

namespace kov {

void SliceSums::sum_over_ranks(const Comm& comm) {
  comm.sum(std::span<double>(reinterpret_cast<double*>(z.data()), 2 * z.size()));
}

namespace detail {

/// Number i of a row of n_row goes through the slots of one time after the other.
struct AddSlotsKernel {
  TimeSlices::View slices;
  const double* partial;
  std::size_t n_row;
  double* sum;

  KOKKOS_FUNCTION void operator()(const std::size_t index) const {
    const std::size_t time = index / n_row, i = index % n_row;
    double z = 0;
    for (int n = slices.time_begin[time]; n < slices.time_begin[time + 1]; ++n)
      z += partial[slices.slot_of_time[n] * n_row + i];
    sum[index] = z;
  }
};

SliceSums add_slots(const TimeSlices& slices, const Buffer<double>& partial, int n_momenta, int n_times, int n_values) {
  const std::size_t n_row = std::size_t(n_momenta) * n_values * 2;
  const Buffer<double> sum("slice sums", n_row * n_times);
  using Exec = Kokkos::DefaultExecutionSpace;
  Kokkos::parallel_for("add_slots", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, n_row * n_times),
                       AddSlotsKernel{slices.view(), partial.data(), n_row, sum.data()});
  const std::vector<double> host = sum.to_host();
  SliceSums sums{n_momenta, n_times, n_values, std::vector<std::complex<double>>(host.size() / 2)};
  for (int t = 0; t < n_times; ++t)
    for (int k = 0; k < n_momenta; ++k)
      for (int v = 0; v < n_values; ++v) {
        const double* from = host.data() + ((std::size_t(t) * n_momenta + k) * n_values + v) * 2;
        sums.z[(std::size_t(k) * n_times + t) * n_values + v] = {from[0], from[1]};
      }
  return sums;
}

}  // namespace detail

}  // namespace kov
