// SPDX-License-Identifier: MIT
#include "kov/contractions/slice_sum.hpp"

namespace kov::detail {

SliceSums add_slots(const TimeSlices& slices, std::span<const double> partial, int n_momenta, int n_times,
                    int n_values) {
  SliceSums sums{n_momenta, n_times, n_values,
                 std::vector<std::complex<double>>(std::size_t(n_momenta) * n_times * n_values)};
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for("add_slots", Kokkos::RangePolicy<Exec>(0, n_momenta), [&](const int k) {
    for (int slot = 0; slot < slices.n_slots(); ++slot) {
      const double* from = partial.data() + (std::size_t(slot) * n_momenta + k) * n_values * 2;
      std::complex<double>* to = sums.z.data() + (std::size_t(k) * n_times + slices.time(slot)) * n_values;
      for (int v = 0; v < n_values; ++v) to[v] += std::complex<double>(from[2 * v], from[2 * v + 1]);
    }
  });
  Exec().fence("add_slots");
  return sums;
}

}  // namespace kov::detail
