// SPDX-License-Identifier: MIT
#include "tests/fuzz/gauge.hpp"

#include "kov/core/base/error.hpp"

namespace kov::fuzz {

std::string written_gauge(const WriteOptions& options) {
  std::vector<double> links(std::size_t(volume(small_extent)) * reals_per_site);  // unit matrices
  for (std::size_t i = 0; i < links.size(); ++i) links[i] = i % reals_per_link % 8 == 0 ? 1 : 0;
  WriteOptions dated = options;
  dated.date = "today";
  return written([&](const std::filesystem::path& file) {
    write_gauge_file(Comm::self(), file, Geometry(small_extent, {1, 1, 1, 1}, 0, 1), links, dated);
  });
}

void read_gauge_input(const std::string& input) { read_gauge_input(in_memory(input)); }

void read_gauge_input(const std::filesystem::path& file) {
  ReadOptions options;
  GaugeHeader header;
  try {
    header = read_gauge_header(Comm::self(), file, options);
  } catch (const FormatError&) {
    throw;
  } catch (const InputError&) {  // no extents in the file
    options.extent = small_extent;
    header = read_gauge_header(Comm::self(), file, options);
  }
  recorded_metadata(header, "beta");
  const Geometry geometry(header.extent, {1, 1, 1, 1}, 0, 1);
  std::vector<double> links(std::size_t(geometry.local_volume()) * reals_per_site);
  read_gauge_file(Comm::self(), file, geometry, links, options);
}

}  // namespace kov::fuzz
