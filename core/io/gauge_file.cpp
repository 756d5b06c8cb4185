// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge_file.hpp"

#include "kov/core/io/gauge_source.hpp"
#include "kov/core/io/lime.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace kov {

namespace detail {

GaugeSource open_gauge_file(const std::filesystem::path& path, const ReadOptions& options) {
  const auto file = std::make_shared<const InputFile>(path);
  GaugeSource source;
  if (is_lime(*file)) {
    source = ildg_source(file, options);
  } else if (is_nersc(*file)) {
    source = nersc_source(file);
  } else if (is_hdf5(*file)) {
    source = hdf5_source(file);
  } else if (is_milc(*file)) {
    source = milc_source(file);
  } else if (is_openqcd(*file)) {  // last, for it has no magic number
    source = openqcd_source(file);
  } else {
    throw FormatError(sentence(file->name(), "is no gauge configuration that can be read: it begins with",
                               in_quotes(file->text(0, 16)) + ",",
                               "which is none of NERSC, ILDG or SciDAC (LIME), MILC, openQCD, HDF5"));
  }
  require(!options.extent || *options.extent == source.header.extent, file->name(), "is a lattice of",
          to_string(source.header.extent) + ", not of", to_string(options.extent.value_or(Coord{})),
          "as asked for: leave the extents out where the file has them");
  return source;
}

namespace {

constexpr std::int64_t no_link = std::numeric_limits<std::int64_t>::max();

/// 4 * site + mu of the first link that `bad` says yes to, in the whole lattice's order; no_link when there is none.
template <class Bad>
std::int64_t first_link(const Geometry& geometry, std::span<const double> links, Bad&& bad) {
  std::int64_t first = no_link;
  const std::int64_t n = std::int64_t(links.size()) / reals_per_link;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!bad(links.subspan(std::size_t(i * reals_per_link), reals_per_link))) continue;
    const Coord x = geometry.global(coordinate(i / 4, geometry.local_extent()));
    first = std::min(first, 4 * lexicographic(x, geometry.extent()) + i % 4);
  }
  return first;
}

/// The first of all ranks' first links.
std::int64_t first_of_all(const Comm& comm, std::int64_t first) {
  std::int64_t negative = -first;
  comm.max(std::span(&negative, 1));
  return -negative;
}

/// "direction 2 at site 0 0 3 1"
std::string link_name(std::int64_t link, const Coord& extent) {
  return sentence("direction", link % 4, "at site", to_string(coordinate(link / 4, extent)));
}

bool not_finite(std::span<const double> link) {
  return !std::all_of(link.begin(), link.end(), [](double r) { return std::isfinite(r); });
}

bool not_single(std::span<const double> link) {
  return !std::all_of(link.begin(), link.end(), [](double r) { return std::isfinite(float(r)); });
}

/// The third row is not what a reader will make of the other two.  Links of 32-bit files pass: they are off by 1e-6.
bool not_special_unitary(std::span<const double> link) {
  std::array<double, reals_per_link> completed;
  std::copy(link.begin(), link.end(), completed.begin());
  complete_third_row(completed.data());
  return !std::equal(link.begin(), link.end(), completed.begin(),
                     [](double a, double b) { return std::abs(a - b) < 1e-5; });
}

void require_size(const Geometry& geometry, std::size_t size) {
  require(size == std::size_t(geometry.local_volume()) * reals_per_site, "the links of a box of",
          to_string(geometry.local_extent()), "are", geometry.local_volume() * reals_per_site, "doubles, and", size,
          "were given");
}

void check_writable(const Comm& comm, const Geometry& geometry, std::span<const double> links,
                    const WriteOptions& options) {
  comm.agree([&] {
    require_size(geometry, links.size());
    require(options.bits == 32 || options.bits == 64, "gauge configurations are written with 32 or 64 bits, not",
            options.bits);
    require(std::isfinite(options.plaquette) && std::isfinite(options.link_trace), "the plaquette", options.plaquette,
            "and link trace", options.link_trace, "to be recorded must be finite: compute them from the links");
  });
  const auto check = [&](auto&& bad, const char* what) {
    const std::int64_t link = first_of_all(comm, first_link(geometry, links, bad));
    require(link == no_link, "the link in", link_name(link == no_link ? 0 : link, geometry.extent()), what);
  };
  check(not_finite, "is not finite: nothing was written");
  if (options.bits == 32) check(not_single, "does not fit 32-bit numbers: write 64 bits");
  if (options.format == GaugeFormat::nersc_two_rows)
    check(not_special_unitary, "is not in SU(3), so two rows do not determine it: write three");
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

/// Brings the time slices of all ranks to rank 0, one at a time.
class SliceGather {
 public:
  SliceGather(const Comm& comm, const Geometry& geometry) : comm_(comm), geometry_(geometry) {
    if (comm.rank() != 0) return;
    slice_.resize(std::size_t(geometry.volume() / geometry.extent()[3]) * reals_per_site);
    for (int r = 0; r < comm.size(); ++r) ranks_.emplace_back(geometry.extent(), geometry.grid(), r, comm.size());
    if (comm.size() > 1) received_.resize(slice_.size());
  }

  /// Collective; the slice [z][y][x][mu][row][column][re, im] on rank 0, nothing elsewhere.
  std::span<const double> operator()(int t, std::span<const double> links) {
    Comm::Exchange exchange(comm_);
    const std::span<const double> mine = has(geometry_, t) ? part(links, t) : std::span<const double>{};
    if (comm_.rank() != 0) {
      if (!mine.empty()) exchange.send(std::as_bytes(mine), 0, t);
      exchange.wait();
      return {};
    }
    std::vector<std::span<const double>> parts(ranks_.size());
    parts[0] = mine;
    std::span<double> free(received_);
    for (std::size_t r = 1; r < ranks_.size(); ++r) {
      if (!has(ranks_[r], t)) continue;
      const std::size_t n = std::size_t(ranks_[r].local_volume() / ranks_[r].local_extent()[3]) * reals_per_site;
      exchange.receive(std::as_writable_bytes(free.first(n)), int(r), t);
      parts[r] = free.first(n);
      free = free.subspan(n);
    }
    exchange.wait();
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (!parts[r].empty()) place(parts[r], ranks_[r]);
    }
    return slice_;
  }

 private:
  static bool has(const Geometry& g, int t) { return t >= g.origin()[3] && t < g.origin()[3] + g.local_extent()[3]; }

  std::span<const double> part(std::span<const double> links, int t) const {
    const std::size_t n = links.size() / std::size_t(geometry_.local_extent()[3]);
    return links.subspan(std::size_t(t - geometry_.origin()[3]) * n, n);
  }

  /// Copies a rank's part of the slice, row by row of x.
  void place(std::span<const double> part, const Geometry& from) {
    const Coord &box = from.local_extent(), &origin = from.origin(), &extent = from.extent();
    const std::size_t row = std::size_t(box[0]) * reals_per_site;
    for (int z = 0; z < box[2]; ++z) {
      for (int y = 0; y < box[1]; ++y, part = part.subspan(row)) {
        const std::int64_t site = lexicographic({origin[0], origin[1] + y, origin[2] + z, 0}, extent);
        std::copy_n(part.begin(), row, slice_.begin() + site * reals_per_site);
      }
    }
  }

  const Comm& comm_;
  const Geometry& geometry_;
  std::vector<Geometry> ranks_;
  std::vector<double> slice_, received_;
};

/// Reads the finished file slice by slice and compares the checksums.
void verify(const std::filesystem::path& written, const std::filesystem::path& target, const Coord& extent) {
  const GaugeSource source = open_gauge_file(written, {});
  const Coord box{extent[0], extent[1], extent[2], 1};
  std::vector<double> slice(std::size_t(volume(box)) * reals_per_site);
  SiteChecksum checksum(source.kind, source.order);
  for (int t = 0; t < extent[3]; ++t) source.read_box({0, 0, 0, t}, box, slice, checksum);
  require<FormatError>(
      source.header.extent == extent && checksum.values() == source.expected, "what was written to", target.string(),
      "reads back differently: the disk or its connection is faulty; nothing was kept, write elsewhere");
}

}  // namespace

}  // namespace detail

std::optional<std::string> recorded_metadata(const GaugeHeader& header, const std::string& name) {
  for (const auto& [key, value] : header.metadata) {
    if (key == name) return value;
    // ILDG: lines of the record's info.
    const auto info = xml_element(value, "info");
    std::istringstream lines(info ? *info : "");
    for (std::string line; std::getline(lines, line);) {
      const std::string text = trim(xml_unescape(line));
      if (text.rfind(name + " = ", 0) == 0) return text.substr(name.size() + 3);
    }
  }
  return std::nullopt;
}

GaugeHeader read_gauge_header(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options) {
  GaugeHeader header;
  comm.agree([&] { header = detail::open_gauge_file(path, options).header; });
  return header;
}

GaugeHeader read_gauge_file(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                            std::span<double> links, const ReadOptions& options) {
  using namespace detail;
  GaugeSource source;
  comm.agree([&] {
    source = open_gauge_file(path, options);
    require(source.header.extent == geometry.extent(), path.string(), "is a lattice of",
            to_string(source.header.extent) + ", and one of", to_string(geometry.extent()), "was asked for");
    require_size(geometry, links.size());
  });
  SiteChecksum checksum(source.kind, source.order);
  std::int64_t bad = no_link;
  comm.agree([&] {
    source.read_box(geometry.origin(), geometry.local_extent(), links, checksum);
    bad = first_link(geometry, links, not_finite);
  });
  // From here on every rank knows the same and throws the same.
  checksum.combine(comm);
  bad = first_of_all(comm, bad);
  check_checksum(source, checksum, path.string(), options.ignore_checksums);
  require<FormatError>(bad == no_link, path.string(), "has a link that is not finite, in",
                       link_name(bad == no_link ? 0 : bad, geometry.extent()) + ":", "the configuration is damaged");
  return std::move(source.header);
}

GaugeFormat gauge_format(const std::string& name) {
  if (name == "nersc") return GaugeFormat::nersc;
  if (name == "nersc-3x2") return GaugeFormat::nersc_two_rows;
  if (name == "ildg") return GaugeFormat::ildg;
  if (name == "hdf5") return GaugeFormat::hdf5;
  throw InputError(sentence("unknown gauge format", in_quotes(name) + ":", "it can be nersc, nersc-3x2, ildg or hdf5"));
}

void write_gauge_file(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                      std::span<const double> links, const WriteOptions& options) {
  using namespace detail;
  check_writable(comm, geometry, links, options);
  std::unique_ptr<GaugeSink> sink;
  std::unique_ptr<SliceGather> gather;
  comm.agree([&] {
    gather = std::make_unique<SliceGather>(comm, geometry);
    if (comm.rank() == 0) sink = make_sink(path, geometry.extent(), options);
  });
  for (int t = 0; t < geometry.extent()[3]; ++t) {
    const std::span<const double> slice = (*gather)(t, links);
    comm.agree([&] {
      if (sink) sink->slice(t, slice);
    });
  }
  gather.reset();
  comm.agree([&] {
    if (!sink) return;
    sink->finish();
    verify(sink->temporary(), path, geometry.extent());
    sink->commit();
  });
}

}  // namespace kov
