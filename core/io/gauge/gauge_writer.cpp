// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/gauge_writer.hpp"

#include "kov/core/base/host_threads.hpp"
#include "kov/core/io/gauge/gauge_hdf5.hpp"
#include "kov/core/io/gauge/gauge_reader.hpp"
#include "kov/core/io/gauge/ildg.hpp"
#include "kov/core/io/gauge/nersc.hpp"
#include "kov/core/lattice/slice_gather.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace kov::detail {

namespace {

bool not_finite(std::span<const double> link) {
  return !std::all_of(link.begin(), link.end(), [](double r) { return std::isfinite(r); });
}

bool not_single(std::span<const double> link) {
  return !std::all_of(link.begin(), link.end(), [](double r) { return std::isfinite(float(r)); });
}

/// Whether the third row differs from the one that a reader reconstructs from the other two.  Links of 32-bit files
/// pass: they deviate by 1e-6.
bool not_special_unitary(std::span<const double> link) {
  std::array<double, reals_per_link> completed;
  std::copy(link.begin(), link.end(), completed.begin());
  complete_third_row(completed.data());
  return !std::equal(link.begin(), link.end(), completed.begin(),
                     [](double a, double b) { return std::abs(a - b) < 1e-5; });
}

/// 4 * site + mu, in the order of the whole lattice, of the first link of a rank's slice for which `bad` is true;
/// no_link when there is none.
template <class Bad>
std::int64_t first_link(const Geometry& geometry, int t, std::span<const double> slice, Bad&& bad) {
  const Coord& box = geometry.local_extent();
  const Coord layer{box[0], box[1], box[2], 1};
  std::atomic<std::int64_t> first = no_link;
  on_host_threads("first_link", volume(layer) / box[0], [&](std::int64_t row, int) {
    for (std::int64_t i = 4 * row * box[0]; i < 4 * (row + 1) * box[0]; ++i) {
      if (!bad(slice.subspan(std::size_t(i * reals_per_link), reals_per_link))) continue;
      Coord x = coordinate(i / 4, layer);
      x[3] = t;
      const std::int64_t link = 4 * lexicographic(geometry.global(x), geometry.extent()) + i % 4;
      for (std::int64_t seen = first; link < seen && !first.compare_exchange_weak(seen, link);) {
      }
    }
  });
  return first;
}

/// Throws on every rank, with the first link of all, when a slice cannot be written.  Collective.
void check_slice(const Comm& comm, const Geometry& geometry, int t, std::span<const double> slice,
                 const WriteOptions& options) {
  const auto check = [&](auto&& bad, const char* what) {
    const std::int64_t mine = slice.empty() ? no_link : first_link(geometry, t, slice, bad);
    const std::int64_t link = first_of_all(comm, mine);
    require(link == no_link, "the link in", link_name(link == no_link ? 0 : link, geometry.extent()), what);
  };
  check(not_finite, "is not finite: nothing was written");
  if (options.bits == 32) check(not_single, "does not fit 32-bit numbers: write 64 bits");
  if (options.format == GaugeFormat::nersc_two_rows)
    check(not_special_unitary, "is not in SU(3), so two rows do not determine it: write three");
}

void check_options(const WriteOptions& options) {
  require(options.bits == 32 || options.bits == 64, "gauge configurations are written with 32 or 64 bits, not",
          options.bits);
  require(std::isfinite(options.plaquette) && std::isfinite(options.link_trace), "the plaquette", options.plaquette,
          "and link trace", options.link_trace, "to be recorded must be finite: compute them from the links");
}

std::unique_ptr<GaugeSink> make_sink(const std::filesystem::path& path, const Coord& extent,
                                     const WriteOptions& options) {
  switch (options.format) {
    case GaugeFormat::nersc:
    case GaugeFormat::nersc_two_rows:
      return nersc_sink(path, extent, options);
    case GaugeFormat::ildg:
      return ildg_sink(path, extent, options);
    case GaugeFormat::hdf5:
      return hdf5_sink(path, extent, options);
  }
  throw InputError("unknown gauge format");
}

}  // namespace

void write_gauge_slices(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                        const GiveSlice& give, const WriteOptions& options,
                        const std::function<void(const std::filesystem::path&)>& verify) {
  const Coord& box = geometry.local_extent();
  std::unique_ptr<GaugeSink> sink;
  std::unique_ptr<SliceGather> gather;
  std::vector<double> mine;
  comm.agree([&] {
    check_options(options);
    mine.resize(std::size_t(volume(box) / box[3]) * reals_per_site);
    gather = std::make_unique<SliceGather>(comm, geometry, reals_per_site);
    if (comm.rank() == 0) sink = make_sink(path, geometry.extent(), options);
  });
  for (int t = 0; t < geometry.extent()[3]; ++t) {
    const int local = t - geometry.origin()[3];
    const bool has = local >= 0 && local < box[3];
    if (has) give(local, mine);
    const std::span<const double> part = has ? std::span<const double>(mine) : std::span<const double>{};
    check_slice(comm, geometry, local, part, options);
    const std::span<const double> slice = (*gather)(t, part);
    comm.agree([&] {
      if (sink) sink->slice(t, slice);
    });
  }
  gather.reset();
  std::string temporary;
  comm.agree([&] {
    if (!sink) return;
    sink->finish();
    temporary = sink->temporary().string();
  });
  temporary = comm.broadcast(temporary);
  verify(temporary);  // the sink removes the file where this throws
  comm.agree([&] {
    if (sink) sink->commit();
  });
}

}  // namespace kov::detail
