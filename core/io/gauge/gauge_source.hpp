// SPDX-License-Identifier: MIT
//
// What a file format tells the common reader (gauge_reader.hpp): the header, where the bytes of a box of sites are, and
// the checksum they must have.
#pragma once

#include "kov/core/io/checksum.hpp"
#include "kov/core/io/gauge/gauge_file.hpp"
#include "kov/core/io/input_file.hpp"

#include <array>
#include <bit>
#include <functional>
#include <memory>

namespace kov::detail {

/// How the four links of a site are stored: [mu][row][column][re, im].
struct SiteFormat {
  int bits = 64;
  std::endian order = std::endian::big;
  /// 3, or 2 where the third row is the conjugate cross product of the others.
  int rows = 3;
  std::size_t link_bytes() const { return std::size_t(rows * 6 * bits / 8); }
  std::size_t bytes() const { return 4 * link_bytes(); }
};

/// n real numbers as they are stored: format.bits in format.order.
void decode_reals(const std::byte* bytes, const SiteFormat& format, std::int64_t n, double* out);
void encode_reals(const double* in, const SiteFormat& format, std::int64_t n, std::byte* bytes);

/// 18 doubles from each of n stored links.
void decode_links(const std::byte* bytes, const SiteFormat& format, std::int64_t n, double* links);
/// The inverse: n links as they are stored; two rows drop the third.
void encode_links(const double* links, const SiteFormat& format, std::int64_t n, std::byte* bytes);

/// Buffers and checksum that each reading or writing thread has of its own.
using ReadScratch = ThreadChecksums::Share;

/// Adds sites that follow one another, `first` the number of the first one in the whole lattice, as they are stored in
/// share.bytes afterwards.
void add_links(ReadScratch& share, const SiteFormat& format, std::int64_t first, std::span<const double> links);

/// Reverses the byte order of the numbers.
void swap_order(std::span<std::byte> bytes, int bits);

/// The third row of an SU(3) matrix from its first two.
void complete_third_row(double* link);

/// Reads n sites that follow one another in the order of the whole lattice, from the global coordinate `start` on: 72
/// doubles a site into links, their bytes into the checksum.  Threads may call it at the same time.
using ReadRun = std::function<void(const Coord& start, std::int64_t n, std::span<double> links, ReadScratch& scratch)>;
/// A reader for runs within the sites origin + [0, box).
using OpenBox = std::function<ReadRun(const Coord& origin, const Coord& box)>;

/// A recognised file.
struct GaugeSource {
  GaugeHeader header;
  ChecksumKind kind = ChecksumKind::none;
  std::endian order = std::endian::big;
  std::array<std::uint32_t, 2> expected{};
  OpenBox open_box;
};

using SharedFile = std::shared_ptr<const InputFile>;

/// The reader for sites in lexicographic order from `offset` on.  checksum_order: of the bytes that go into the
/// checksum.
OpenBox lexicographic_reader(SharedFile file, std::uint64_t offset, SiteFormat format, Coord extent,
                             std::endian checksum_order);

/// The reader for links that read_box brings into memory, [site of the box][mu][row][column][re, im], when the box is
/// opened.  stored: as what the sites' bytes go into the checksum.
using ReadBox = std::function<void(const Coord& origin, const Coord& box, std::span<double> links)>;
OpenBox memory_reader(ReadBox read_box, SiteFormat stored, Coord extent);

/// The extents as found; throws FormatError unless each is 1 to 65535.  what: "DIMENSION_1 to 4 of its NERSC header".
Coord checked_extent(const std::array<std::int64_t, 4>& found, const std::string& file, const std::string& what);

enum class DataLength { at_least, exactly };
/// Throws FormatError unless `available` bytes from byte `offset` on hold a lattice of `site_bytes` a site.  Never
/// overflows.
void require_data(const Coord& extent, std::size_t site_bytes, std::uint64_t offset, std::uint64_t available,
                  DataLength length, const std::string& file);

/// Records value (text as printed in the file) in the header and widens the tolerance; FormatError when it is no
/// number. scale: what the file's normalisation is divided by.
void record_plaquette(GaugeHeader& header, const std::string& text, const std::string& file, double scale = 1);
void record_link_trace(GaugeHeader& header, const std::string& text, const std::string& file, double scale = 1);

/// Sites that a thread reads at a time, about: 144 KiB of doubles stay in its cache.
inline constexpr std::int64_t sites_at_a_time = 256;

}  // namespace kov::detail
