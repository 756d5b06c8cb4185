// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/openqcd.hpp"

#include "kov/core/base/host_threads.hpp"
#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/text.hpp"

#include <array>
#include <cmath>

namespace kov::detail {

namespace {

constexpr std::uint64_t header_bytes = 24;
constexpr std::size_t link_bytes = 144, links_per_site = 8, site_bytes = link_bytes * links_per_site;
/// Directions in the order of the file, by our numbers.
constexpr int file_direction[4] = {3, 0, 1, 2};
constexpr SiteFormat link_format{.bits = 64, .order = std::endian::little};

struct OpenQcdHeader {
  std::array<std::int64_t, 4> extent;  // x y z t
  double plaquette;
};

OpenQcdHeader parse(const InputFile& file) {
  std::array<std::byte, header_bytes> bytes;
  file.read(0, bytes);
  OpenQcdHeader header{};
  for (std::size_t i = 0; i < 4; ++i) {
    header.extent[std::size_t(file_direction[i])] = load<std::int32_t>(bytes.data() + 4 * i, std::endian::little);
  }
  header.plaquette = load<double>(bytes.data() + 16, std::endian::little);
  return header;
}

/// Reads, by all threads, the odd sites of the box and of the layers ahead of it, whose backward links are those of the
/// box's even sites.
class OddSiteReader {
 public:
  OddSiteReader(SharedFile file, const Coord& extent) : file_(std::move(file)), extent_(extent) {}

  void operator()(const Coord& origin, const Coord& box, std::span<double> links) const {
    std::vector<std::vector<std::byte>> rows(n_host_threads());
    for (auto& row : rows) row.resize(std::size_t(extent_[2] / 2 + 1) * site_bytes);
    // Every link is in the file once, so no two threads write the same.
    on_host_threads("read_openqcd", std::int64_t(box[3] + 1) * (box[0] + 1), [&](std::int64_t i, int thread) {
      const int x = int(i % (box[0] + 1)), t = int(i / (box[0] + 1));
      for (int y = 0; y <= box[1]; ++y) {
        // Only a site one step ahead in a single direction is anybody's neighbour.
        const int ahead = (t == box[3]) + (x == box[0]) + (y == box[1]);
        if (ahead < 2)
          read_row(origin, box, {x, y, 0, t}, ahead == 0 ? box[2] : box[2] - 1, rows[std::size_t(thread)], links);
      }
    });
  }

 private:
  /// The odd sites with z = 0 .. last of the box's row through `start`; coordinates relative to the box.
  void read_row(const Coord& origin, const Coord& box, const Coord& start, int last, std::span<std::byte> row,
                std::span<double> links) const {
    int z = 0;
    while (z <= last) {
      // As far as the row does not wrap around the lattice, its odd sites are contiguous.
      const Coord first = wrap({origin[0] + start[0], origin[1] + start[1], origin[2] + z, origin[3] + start[3]});
      const int length = std::min(last + 1 - z, extent_[2] - first[2]);
      const int skip = parity(first) ? 0 : 1;
      const int count = (length - skip + 1) / 2;
      if (count > 0) {
        const Coord odd{first[0], first[1], first[2] + skip, first[3]};
        const std::span<std::byte> bytes = row.first(std::size_t(count) * site_bytes);
        file_->read(header_bytes + odd_index(odd) * site_bytes, bytes);
        for (int i = 0; i < count; ++i) {
          take(box, {start[0], start[1], z + skip + 2 * i, start[3]}, bytes.data() + std::size_t(i) * site_bytes,
               links);
        }
      }
      z += length;
    }
  }

  /// The eight links of the odd site x (relative to the box), as far as they belong to the box.
  static void take(const Coord& box, const Coord& x, const std::byte* bytes, std::span<double> links) {
    for (int i = 0; i < 4; ++i) {
      const int mu = file_direction[i];
      Coord behind = x;
      --behind[mu];
      put(box, x, mu, bytes + std::size_t(2 * i) * link_bytes, links);
      put(box, behind, mu, bytes + std::size_t(2 * i + 1) * link_bytes, links);
    }
  }

  static void put(const Coord& box, const Coord& x, int mu, const std::byte* bytes, std::span<double> links) {
    for (int nu = 0; nu < 4; ++nu) {
      if (x[nu] < 0 || x[nu] >= box[nu]) return;
    }
    decode_links(bytes, link_format, 1, links.data() + lexicographic(x, box) * reals_per_site + mu * reals_per_link);
  }

  Coord wrap(Coord x) const {
    for (int mu = 0; mu < 4; ++mu) x[mu] %= extent_[mu];
    return x;
  }

  /// How many odd sites come before this one in the file; every pair of z neighbours has one.
  std::uint64_t odd_index(const Coord& x) const {
    const std::uint64_t index =
        std::uint64_t(x[2]) +
        std::uint64_t(extent_[2]) *
            (std::uint64_t(x[1]) +
             std::uint64_t(extent_[1]) * (std::uint64_t(x[0]) + std::uint64_t(extent_[0]) * std::uint64_t(x[3])));
    return index / 2;
  }

  SharedFile file_;
  Coord extent_;
};

}  // namespace

bool is_openqcd(const InputFile& file) {
  if (file.size() < header_bytes) return false;
  const OpenQcdHeader header = parse(file);
  for (const std::int64_t e : header.extent) {
    if (e < 1 || e > 65535 || e % 2 != 0) return false;
  }
  // |Re tr P| <= 3 for unitary links; not so for a text or a random block of bytes.
  return std::isfinite(header.plaquette) && std::abs(header.plaquette) <= 3.0 + 1e-10;
}

GaugeSource openqcd_source(const SharedFile& file) {
  const OpenQcdHeader found = parse(*file);
  GaugeSource source;
  source.order = std::endian::little;
  GaugeHeader& header = source.header;
  header.format = "openQCD";
  header.extent = checked_extent(found.extent, file->name(), "bytes 0 to 16 of its openQCD header");
  header.bits = 64;
  header.big_endian = false;
  require_data(header.extent, site_bytes / 2, header_bytes, file->size() - header_bytes, DataLength::exactly,
               file->name());
  header.plaquette = found.plaquette / 3;
  header.recorded_tolerance = 1e-11;
  header.metadata.emplace_back("average of Re tr P", print_real(found.plaquette));
  source.open_box = memory_reader(OddSiteReader(file, header.extent), link_format, header.extent);
  return source;
}

}  // namespace kov::detail
