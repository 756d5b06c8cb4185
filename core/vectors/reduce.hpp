// SPDX-License-Identifier: MIT
//
// Deterministic sums over sites: partial sums over fixed chunks of outer sites, added in index order (on a GPU in a
// fixed tree).  The same bits for any number of threads and from run to run; in exact mode for any decomposition and
// any number of lanes as well.
#pragma once

#include "kov/core/base/memory.hpp"
#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/vectors/group_sums.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace kov {

/// How a sum over sites is taken.
enum class SumMode {
  /// In chunks of fixed length: reproducible on the same decomposition.
  chunked,
  /// Site values rounded to a common scale and added as integers: bitwise the same on every decomposition.
  exact
};

namespace detail {

/// Writes the value of every site to values[k * n_lanes + outer * N + lane], zero on padding.
template <class Site, int N, int n, class Kernel>
struct StoreValues {
  Kernel kernel;
  Layout::View layout;
  int first;
  std::size_t n_lanes;
  double* values;

  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto term = kernel(x);
    const std::size_t at = std::size_t(x.outer - first) * N;
    if constexpr (std::is_same_v<Site, LaneSite>) {
      for (int k = 0; k < n; ++k)
        values[k * n_lanes + at + x.lane] = layout.is_site(x.outer, x.lane) ? double(term.v[k]) : 0.0;
    } else {
      for (int k = 0; k < n; ++k)
        for (int lane = 0; lane < N; ++lane)
          values[k * n_lanes + at + lane] = layout.is_site(x.outer, lane) ? double(term.v[k].lane(lane)) : 0.0;
    }
  }
};

/// Adds a host array of doubles over all ranks as integers on a common scale, which makes the sum independent of order.
double exact_sum(const Comm& comm, std::span<const double> values, std::int64_t n_global);

/// The values of n reals a site on the host: [k][outer site - first][lane], zero on padding.
template <int n, class Kernel>
class SiteValues {
 public:
  SiteValues(const std::string& name, const Lattice& lattice, Subset subset, const Kernel& kernel,
             const Exec& exec = {}) {
    using Site = site_index_t<Exec>;
    constexpr int N = default_lanes;
    const SiteRange range = lattice.layout().range(subset);
    n_lanes_ = std::size_t(range.n_outer) * N;
    buffer_ = Buffer<double>(name, n * n_lanes_, exec);
    for_each_site(
        name, range,
        StoreValues<Site, N, n, Kernel>{kernel, lattice.layout().view(), range.first, n_lanes_, buffer_.data()}, exec);
    exec.fence("site values");
    if constexpr (!unified_memory) host_ = buffer_.to_host(exec);
  }

  std::span<const double> operator[](int k) const {
    const double* const all = unified_memory ? buffer_.data() : host_.data();
    return {all + std::size_t(k) * n_lanes_, n_lanes_};
  }

 private:
  std::size_t n_lanes_;
  Buffer<double> buffer_;
  std::vector<double> host_;
};

}  // namespace detail

/// The sum over the sites of a subset, over all ranks, of kernel(x), which returns Values<R, n> for the Site it gets (R
/// = Pack or T).  Runs on exec and waits only for exec.  Collective.
template <int n, class Kernel>
std::array<double, n> sum_sites(const std::string& name, const Lattice& lattice, Subset subset, const Kernel& kernel,
                                SumMode mode = SumMode::chunked, const Exec& exec = {}) {
  using Site = site_index_t<Exec>;
  std::array<double, n> result{};
  if (mode == SumMode::exact) {
    const detail::SiteValues<n, Kernel> values(name, lattice, subset, kernel, exec);
    for (int k = 0; k < n; ++k) result[k] = detail::exact_sum(lattice.comm(), values[k], lattice.volume());
    return result;
  }
  detail::sum_groups<Site, n, 1>(name, lattice.layout().range(subset), lattice.layout(), 1,
                                 detail::SingleGroup<Kernel>{kernel}, lattice.sum_scratch(), result, exec);
  lattice.comm().sum(result);
  return result;
}

}  // namespace kov
