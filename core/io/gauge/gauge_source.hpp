// SPDX-License-Identifier: MIT
//
// What a file format tells the common reader: the header, where the bytes of a box of sites are, and which checksum
// they must have.  Formats differ in this only; reading, widening and verifying is shared.
#pragma once

#include "kov/core/io/checksum.hpp"
#include "kov/core/io/gauge/gauge_file.hpp"
#include "kov/core/io/input_file.hpp"
#include "kov/core/lattice/site_rows.hpp"

#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <memory>

namespace kov {

class Hdf5File;

}  // namespace kov

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

/// 18 doubles from each of n stored links.
void decode_links(const std::byte* bytes, const SiteFormat& format, std::int64_t n, double* links);
/// The inverse: n links as they are stored; two rows drop the third.
void encode_links(const double* links, const SiteFormat& format, std::int64_t n, std::byte* bytes);

/// What a thread that reads or writes keeps to itself.
using ReadScratch = ThreadChecksums::Share;

/// Adds sites that follow one another, `first` the number of the first one in the whole lattice, as they are stored in
/// share.bytes afterwards.
void add_links(ReadScratch& share, const SiteFormat& format, std::int64_t first, std::span<const double> links);

/// Turns the bytes of numbers around.
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

/// One format each: whether a file is of it, and its source.
bool is_nersc(const InputFile& file);
GaugeSource nersc_source(const SharedFile& file);
GaugeSource ildg_source(const SharedFile& file, const ReadOptions& options);
bool is_milc(const InputFile& file);
GaugeSource milc_source(const SharedFile& file);
bool is_openqcd(const InputFile& file);
GaugeSource openqcd_source(const SharedFile& file);
bool is_hdf5(const InputFile& file);
GaugeSource hdf5_source(const SharedFile& input, const std::shared_ptr<const Hdf5File>& file);

/// A check that the links of a file did not pass.
struct FailedCheck {
  /// "records the plaquette 0.5 and its links have 0.6".
  std::string problem;
  /// What to do.
  std::string remedy;
  bool ignored = false;
};

/// Throws one FormatError with all failed checks of the file that are not ignored; notes the others in `overridden`.
void settle(const std::string& file, const std::vector<FailedCheck>& failed, std::vector<std::string>& overridden);

/// The links of this rank's box, group by group, to take(group, thread, links of its rows one after the other), which
/// threads call at the same time, each with its number in on_host_threads().
using TakeRows = std::function<void(std::int64_t group, int thread, std::span<const double> links)>;
struct GaugeRead {
  GaugeHeader header;
  /// Of the file's checksum (unless it was to be ignored: see header.overridden) and of numbers that are not finite.
  std::vector<FailedCheck> failed;
  bool finite = true;
  /// suma, sumb of the links as 64-bit big-endian numbers in ILDG order.
  std::array<std::uint32_t, 2> links_sums{};
};
/// Collective.  Throws like read_gauge_file(), but for checks that failed.
GaugeRead read_gauge_rows(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                          const SiteRows& rows, const TakeRows& take, const ReadOptions& options);

/// Fills this rank's part of a time slice (local t), [z][y][x][mu][row][column][re, im].
using GiveSlice = std::function<void(int t, std::span<double> links)>;
/// write_gauge_file() with links that are made slice by slice.  verify(temporary name) is collective and throws when
/// what it reads there is not what was to be written: the file then never gets its name.
void write_gauge_slices(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                        const GiveSlice& give, const WriteOptions& options,
                        const std::function<void(const std::filesystem::path& written)>& verify);

/// Sites that a thread reads at a time, about: 144 KiB of doubles stay in its cache.
inline constexpr std::int64_t sites_at_a_time = 256;

/// Throws InputError unless so many doubles are the links of this rank's box.
void require_size(const Geometry& geometry, std::size_t size);

/// 4 * site + mu of a link, where there is none.
inline constexpr std::int64_t no_link = std::numeric_limits<std::int64_t>::max();
/// The first of all ranks' first links.  Collective.
std::int64_t first_of_all(const Comm& comm, std::int64_t first);
/// "direction 2 at site 0 0 3 1"
std::string link_name(std::int64_t link, const Coord& extent);

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

/// Encodes a slice, in pieces of bounded size by all threads, and hands each to `write` with its offset from the
/// slice's first byte; adds the sites to the checksum.  `write` is called by several threads at once, and may change
/// the bytes.
using WritePiece = std::function<void(std::uint64_t offset, std::span<std::byte> bytes)>;
void encode_slice(std::span<const double> links, std::int64_t first_site, const SiteFormat& format,
                  SiteChecksum& checksum, const WritePiece& write);

/// options.date or now: "Thu Feb 12 13:40:21 1998 UTC".
std::string date(const WriteOptions& options);

}  // namespace kov::detail
