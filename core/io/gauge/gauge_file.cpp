// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/gauge_file.hpp"

#include "kov/core/io/gauge/gauge_reader.hpp"
#include "kov/core/io/gauge/gauge_writer.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/io/xml.hpp"

#include <algorithm>
#include <sstream>

namespace kov {

namespace {

/// Throws InputError unless this many doubles are the links of this rank's box.
void require_size(const Geometry& geometry, std::size_t size) {
  require(size == std::size_t(geometry.local_volume()) * reals_per_site, "the links of a box of",
          to_string(geometry.local_extent()), "are", geometry.local_volume() * reals_per_site, "doubles, and", size,
          "were given");
}

}  // namespace

std::optional<std::string> recorded_metadata(const GaugeHeader& header, const std::string& name) {
  for (const auto& [key, value] : header.metadata) {
    if (key == name) return value;
    // ILDG: lines of the record's info.
    if (key != "scidac-record-xml") continue;
    const auto info = XmlRecord(value).element("info");
    std::istringstream lines(info ? *info : "");
    for (std::string line; std::getline(lines, line);) {
      const std::string text = trim(line);
      if (text.rfind(name + " = ", 0) == 0) return text.substr(name.size() + 3);
    }
  }
  return std::nullopt;
}

GaugeHeader read_gauge_header(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options) {
  return detail::open_gauge_file(comm, path, options).header;
}

GaugeHeader read_gauge_file(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                            std::span<double> links, const ReadOptions& options) {
  using namespace detail;
  comm.agree([&] { require_size(geometry, links.size()); });
  const SiteRows rows = plain_rows(geometry, sites_at_a_time);
  const std::size_t group_reals = std::size_t(rows.group_sites()) * reals_per_site;
  const auto take = [&](std::int64_t group, int, std::span<const double> read) {
    std::copy(read.begin(), read.end(), links.begin() + group * std::int64_t(group_reals));
  };
  GaugeRead read = read_gauge_rows(comm, path, geometry, rows, take, options);
  settle(path.string(), read.failed, read.header.overridden);
  return std::move(read.header);
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
  comm.agree([&] { require_size(geometry, links.size()); });
  const auto give = [&](int t, std::span<double> slice) {
    std::copy_n(links.begin() + std::ptrdiff_t(std::size_t(t) * slice.size()), slice.size(), slice.begin());
  };
  const auto verify = [&](const std::filesystem::path& written) {
    const auto nothing = [](std::int64_t, int, std::span<const double>) {};
    const SiteRows rows = plain_rows(geometry, sites_at_a_time);
    const GaugeRead read = read_gauge_rows(comm, written, geometry, rows, nothing, {});
    require<FormatError>(
        read.failed.empty(), "what was written to", path.string(),
        "reads back differently: the disk or its connection is faulty; nothing was kept, write elsewhere");
  };
  write_gauge_slices(comm, path, geometry, give, options, verify);
}

}  // namespace kov
