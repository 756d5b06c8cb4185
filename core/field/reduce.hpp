// SPDX-License-Identifier: MIT
//
// Deterministic sums over sites: partial sums over fixed chunks of outer sites, added in index order.  The same bits
// for any number of threads and from run to run; in exact mode for any decomposition and any number of lanes as well.
#pragma once

#include "kov/core/base/memory.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/core/launch/for_each_site.hpp"

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

/// n reals per site or per sum; over R = T or Pack<T, N>.
template <class R, int n>
struct Values {
  R v[n];
  KOKKOS_FORCEINLINE_FUNCTION Values& operator+=(const Values& b) {
    for (int i = 0; i < n; ++i) v[i] += b.v[i];
    return *this;
  }
};

namespace detail {

inline constexpr int sum_chunk = 32;  // outer sites

/// Adds the first valid_lanes lanes, one after the other in double.
template <int n, class R>
KOKKOS_FORCEINLINE_FUNCTION void add_lanes(Values<double, n>& sum, const Values<R, n>& term, int valid_lanes) {
  if constexpr (std::is_arithmetic_v<R>) {
    for (int i = 0; i < n; ++i) sum.v[i] += double(term.v[i]);
  } else {
    for (int i = 0; i < n; ++i) {
      double lanes = 0;
      for (int lane = 0; lane < valid_lanes; ++lane) lanes += double(term.v[i].lane(lane));
      sum.v[i] += lanes;
    }
  }
}

template <class Site, int N, int n, class Kernel>
struct ChunkSum {
  Kernel kernel;
  Layout::View layout;
  SiteRange range;
  double* partial;

  KOKKOS_FUNCTION void operator()(int chunk) const {
    const int first = chunk * sum_chunk, end = first + sum_chunk < range.n_outer ? first + sum_chunk : range.n_outer;
    Values<double, n> sum{};
    if constexpr (std::is_same_v<Site, LaneSite>) {
      for (int i = first; i < end; ++i)
        for (int lane = 0; lane < N; ++lane)
          if (layout.is_site(range.first + i, lane)) add_lanes<n>(sum, kernel(LaneSite{range.first + i, lane}), 1);
    } else {
      // Lane by lane only once a chunk: whole packs are added in double, and those with padding apart.
      Values<Pack<double, N>, n> packs;
      for (int k = 0; k < n; ++k) packs.v[k] = Pack<double, N>(0.0);
      for (int i = first; i < end; ++i) {
        const int outer = range.first + i;
        const auto term = kernel(PackSite{outer});
        if (layout.is_site(outer, N - 1)) {
          for (int k = 0; k < n; ++k) packs.v[k] += to_double(term.v[k]);
        } else {
          int valid = N - 1;
          while (valid > 0 && !layout.is_site(outer, valid - 1)) --valid;
          add_lanes<n>(sum, term, valid);
        }
      }
      add_lanes<n>(sum, packs, N);
    }
    for (int k = 0; k < n; ++k) partial[std::size_t(chunk) * n + k] = sum.v[k];
  }
};

/// The GPU's form: a team adds a chunk, its threads one lane each, in a fixed tree.
template <int N, int n, class Kernel>
struct TeamSum {
  Kernel kernel;
  Layout::View layout;
  SiteRange range;
  double* partial;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int chunk = team.league_rank(), first = chunk * sum_chunk;
    const int count = range.n_outer - first < sum_chunk ? range.n_outer - first : sum_chunk;
    Values<double, n> sum{};
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, count * N),
        [&](const int i, Values<double, n>& mine) {
          const LaneSite x{range.first + first + i / N, i % N};
          if (layout.is_site(x.outer, x.lane)) add_lanes<n>(mine, kernel(x), 1);
        },
        sum);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int k = 0; k < n; ++k) partial[std::size_t(chunk) * n + k] = sum.v[k];
    });
  }
};

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

/// At least n doubles that the lattice keeps for one sum after the other: allocating costs more than a small sum.
const Buffer<double>& partial_sums(const Lattice& lattice, std::size_t n);

/// Adds a host array of doubles over all ranks as integers on a common scale.
double exact_sum(const Comm& comm, std::span<const double> values, std::int64_t n_global);

/// The values of n reals a site on the host: [k][outer site - first][lane], zero on padding.
template <int n, class Kernel>
class SiteValues {
 public:
  SiteValues(const std::string& name, const Lattice& lattice, Subset subset, const Kernel& kernel) {
    using Site = site_index_t<Kokkos::DefaultExecutionSpace>;
    constexpr int N = default_lanes;
    const SiteRange range = lattice.layout().range(subset);
    n_lanes_ = std::size_t(range.n_outer) * N;
    buffer_ = Buffer<double>(name, n * n_lanes_);
    for_each_site(
        name, range,
        StoreValues<Site, N, n, Kernel>{kernel, lattice.layout().view(), range.first, n_lanes_, buffer_.data()});
    if constexpr (unified_memory)
      Kokkos::fence("site values");
    else
      host_ = buffer_.to_host();
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
/// = Pack or T).  Fences.  Collective.
template <int n, class Kernel>
std::array<double, n> sum_sites(const std::string& name, const Lattice& lattice, Subset subset, const Kernel& kernel,
                                SumMode mode = SumMode::chunked) {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Site = site_index_t<Exec>;
  constexpr int N = default_lanes;
  const SiteRange range = lattice.layout().range(subset);
  std::array<double, n> result{};
  if (mode == SumMode::exact) {
    const detail::SiteValues<n, Kernel> values(name, lattice, subset, kernel);
    for (int k = 0; k < n; ++k) result[k] = detail::exact_sum(lattice.comm(), values[k], lattice.volume());
    return result;
  }
  const int n_chunks = (range.n_outer + detail::sum_chunk - 1) / detail::sum_chunk;
  const Buffer<double>& partial = detail::partial_sums(lattice, std::size_t(n_chunks) * n);
  if constexpr (is_host_v<Exec>)
    for_each_item(name, n_chunks,
                  detail::ChunkSum<Site, N, n, Kernel>{kernel, lattice.layout().view(), range, partial.data()});
  else
    Kokkos::parallel_for(name, Kokkos::TeamPolicy<Exec>(n_chunks, 256),
                         detail::TeamSum<N, n, Kernel>{kernel, lattice.layout().view(), range, partial.data()});
  std::vector<double> host(std::size_t(n_chunks) * n);
  detail::copy_to_host(host.data(), partial.data(), host.size() * sizeof(double));
  for (int chunk = 0; chunk < n_chunks; ++chunk)
    for (int k = 0; k < n; ++k) result[k] += host[std::size_t(chunk) * n + k];
  lattice.comm().sum(result);
  return result;
}

}  // namespace kov

namespace Kokkos {
template <int n>
struct reduction_identity<kov::Values<double, n>> {
  KOKKOS_FORCEINLINE_FUNCTION static kov::Values<double, n> sum() { return {}; }
};
}  // namespace Kokkos
