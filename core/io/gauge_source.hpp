// SPDX-License-Identifier: MIT
//
// What a file format tells the common reader: the header, where the bytes of a box of sites are, and which checksum
// they must have.  Formats differ in this only; reading, widening and verifying is shared.
#pragma once

#include "kov/core/io/checksum.hpp"
#include "kov/core/io/gauge_file.hpp"
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

/// 18 doubles from one stored link.
void decode_link(const std::byte* bytes, const SiteFormat& format, double* link);
/// 72 doubles from a stored site, and back; two rows drop the third.
void decode_site(const std::byte* bytes, const SiteFormat& format, double* links);
void encode_site(const double* links, const SiteFormat& format, std::byte* bytes);

/// The third row of an SU(3) matrix from its first two.
void complete_third_row(double* link);

/// Reads the sites origin + [0, box) into links (in that box's order) and their bytes into the checksum.
using ReadBox =
    std::function<void(const Coord& origin, const Coord& box, std::span<double> links, SiteChecksum& checksum)>;

/// A recognised file.
struct GaugeSource {
  GaugeHeader header;
  ChecksumKind kind = ChecksumKind::none;
  std::endian order = std::endian::big;
  std::array<std::uint32_t, 2> expected{};
  ReadBox read_box;
};

using SharedFile = std::shared_ptr<const InputFile>;

/// Recognises the format by content and reads the header.  Throws FormatError when it is none of them.
GaugeSource open_gauge_file(const std::filesystem::path& path, const ReadOptions& options);

/// The source's checksum is `found`, or FormatError; with ignore_checksums a note in header.overridden.
void check_checksum(GaugeSource& source, const SiteChecksum& found, const std::string& file, bool ignore_checksums);

/// The reader for sites in lexicographic order from `offset` on.
ReadBox lexicographic_reader(SharedFile file, std::uint64_t offset, SiteFormat format, Coord extent);

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

/// One format each: whether a file is of it, and its source.
bool is_nersc(const InputFile& file);
GaugeSource nersc_source(const SharedFile& file);
GaugeSource ildg_source(const SharedFile& file, const ReadOptions& options);
bool is_milc(const InputFile& file);
GaugeSource milc_source(const SharedFile& file);
bool is_openqcd(const InputFile& file);
GaugeSource openqcd_source(const SharedFile& file);
bool is_hdf5(const InputFile& file);
GaugeSource hdf5_source(const SharedFile& file);

/// Where a writer's time slices go: rank 0 only, t = 0, 1, ...; slice is [z][y][x][mu][row][column][re, im].
class GaugeSink {
 public:
  virtual ~GaugeSink() = default;
  virtual void slice(int t, std::span<const double> links) = 0;
  /// Everything but the name is written and closed.
  virtual void finish() = 0;
  /// The file as it is before it has its name.
  virtual const std::filesystem::path& temporary() const = 0;
  virtual void commit() = 0;
};

std::unique_ptr<GaugeSink> nersc_sink(const std::filesystem::path& path, const Coord& extent,
                                      const WriteOptions& options);
std::unique_ptr<GaugeSink> ildg_sink(const std::filesystem::path& path, const Coord& extent,
                                     const WriteOptions& options);
std::unique_ptr<GaugeSink> hdf5_sink(const std::filesystem::path& path, const Coord& extent,
                                     const WriteOptions& options);

/// Encodes a slice in pieces of bounded size and hands each to `write`, adding the sites to the checksum.
void encode_slice(std::span<const double> links, std::int64_t first_site, const SiteFormat& format,
                  SiteChecksum& checksum, const std::function<void(std::span<const std::byte>)>& write);

/// options.date or now: "Thu Feb 12 13:40:21 1998 UTC".
std::string date(const WriteOptions& options);

}  // namespace kov::detail
