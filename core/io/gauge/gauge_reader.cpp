// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/gauge_reader.hpp"

#include "kov/core/base/host_threads.hpp"
#include "kov/core/io/gauge/gauge_hdf5.hpp"
#include "kov/core/io/gauge/ildg.hpp"
#include "kov/core/io/gauge/milc.hpp"
#include "kov/core/io/gauge/nersc.hpp"
#include "kov/core/io/gauge/openqcd.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/lime.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace kov::detail {

namespace {

/// The source of a file in any format but HDF5, which all ranks open together.
GaugeSource source_of(const SharedFile& file, const ReadOptions& options) {
  if (is_lime(*file)) return ildg_source(file, options);
  if (is_nersc(*file)) return nersc_source(file);
  if (is_milc(*file)) return milc_source(file);
  if (is_openqcd(*file)) return openqcd_source(file);  // last, for it has no magic number
  throw FormatError(sentence(file->name(), "is not a gauge configuration that can be read: it begins with",
                             in_quotes(file->text(0, 16)) + ",",
                             "which is none of NERSC, ILDG or SciDAC (LIME), MILC, openQCD, HDF5"));
}

/// Whether all numbers are finite; a loop that is vectorised.
bool all_finite(std::span<const double> reals) {
  std::uint64_t bad = 0;
  for (const double r : reals) bad |= std::uint64_t(!(std::abs(r) <= std::numeric_limits<double>::max()));
  return bad == 0;
}

/// The problem with the links' checksum; nothing when it matches or the file records none.
std::optional<std::string> checksum_mismatch(const GaugeSource& source, const SiteChecksum& found) {
  if (source.kind == ChecksumKind::none || found.values() == source.expected) return std::nullopt;
  const std::vector<std::string> names = checksum_names(source.kind);
  std::string recorded, computed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string lead = (i ? std::string(", ") : std::string()) + names[i] + " ";
    recorded += lead + to_hex(source.expected[i]);
    computed += lead + to_hex(found.values()[i]);
  }
  return "records " + recorded + " and its links have " + computed;
}

/// A thread's buffer and the first bad link it found.
struct Share {
  std::vector<double> links;
  std::int64_t bad = no_link;
};

/// Reads the groups of rows of a box by all threads.
class RowsReader {
 public:
  RowsReader(const GaugeSource& source, const Geometry& geometry, const SiteRows& rows)
      : source_(source),
        geometry_(geometry),
        rows_(rows),
        read_(source.open_box(geometry.origin(), geometry.local_extent())),
        file_sums_(source.kind, source.order),
        links_sums_(ChecksumKind::scidac, ildg.order),
        same_sum_(source.kind == ChecksumKind::scidac && source.header.bits == 64 && source.header.rows == 3) {
    shares_.assign(n_host_threads(), {std::vector<double>(std::size_t(rows.group_sites()) * reals_per_site)});
  }

  void read(const TakeRows& take) {
    on_host_threads("read_gauge", rows_.n_groups, [&](std::int64_t group, int thread) {
      Share& share = shares_[std::size_t(thread)];
      const std::size_t row = std::size_t(rows_.length) * reals_per_site;
      for (int r = 0; r < rows_.rows; ++r) {
        const std::span<double> links = std::span(share.links).subspan(std::size_t(r) * row, row);
        const Coord start = geometry_.global(rows_.first(group, r));
        read_(start, rows_.length, links, file_sums_.of(thread));
        if (!all_finite(links)) share.bad = std::min(share.bad, first_not_finite(start, links));
        if (!same_sum_) add_links(links_sums_.of(thread), ildg, lexicographic(start, geometry_.extent()), links);
      }
      take(group, thread, share.links);
    });
  }

  /// Of all threads.
  SiteChecksum checksum() const { return file_sums_.sum(); }
  SiteChecksum links_sum() const { return same_sum_ ? file_sums_.sum() : links_sums_.sum(); }
  std::int64_t first_bad() const {
    std::int64_t bad = no_link;
    for (const Share& share : shares_) bad = std::min(bad, share.bad);
    return bad;
  }

 private:
  static constexpr SiteFormat ildg{};

  std::int64_t first_not_finite(const Coord& start, std::span<const double> links) const {
    std::int64_t link = 4 * lexicographic(start, geometry_.extent());
    while (all_finite(links.first(reals_per_link))) {
      links = links.subspan(reals_per_link);
      ++link;
    }
    return link;
  }

  const GaugeSource& source_;
  const Geometry& geometry_;
  const SiteRows& rows_;
  ReadRun read_;
  ThreadChecksums file_sums_, links_sums_;
  /// The file's checksum is that of the links as 64-bit numbers.
  bool same_sum_;
  std::vector<Share> shares_;
};

}  // namespace

GaugeSource open_gauge_file(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options) {
  SharedFile file;
  GaugeSource source;
  std::int64_t in_hdf5 = 0;
  comm.agree([&] {
    if (options.extent)
      for (const int e : *options.extent)
        require(e >= 1 && e <= 65535, "the extents", to_string(*options.extent), "were given for", path.string() + ":",
                "each must be 1 to 65535");
    file = std::make_shared<const InputFile>(path);
    in_hdf5 = is_hdf5(*file);
    if (!in_hdf5) source = source_of(file, options);
  });
  comm.max(std::span(&in_hdf5, 1));
  std::shared_ptr<const Hdf5File> hdf5;
  if (in_hdf5) hdf5 = std::make_shared<const Hdf5File>(Hdf5File::open(path, comm));
  comm.agree([&] {
    if (hdf5) source = hdf5_source(file, hdf5);
    require(!options.extent || *options.extent == source.header.extent, file->name(), "is a lattice of",
            to_string(source.header.extent) + ", not of", to_string(options.extent.value_or(Coord{})),
            "as asked for: leave the extents out where the file has them");
  });
  return source;
}

void settle(const std::string& file, const std::vector<FailedCheck>& failed, std::vector<std::string>& overridden) {
  std::vector<std::string> errors;
  for (const FailedCheck& check : failed) {
    if (check.ignored)
      overridden.push_back(check.problem);
    else
      errors.push_back(check.problem + ": " + check.remedy);
  }
  if (errors.empty()) return;
  if (errors.size() == 1) throw FormatError(file + " " + errors[0]);
  std::string text = sentence(file, "fails", errors.size(), "checks.");
  for (std::size_t i = 0; i < errors.size(); ++i)
    text += sentence(" (" + std::to_string(i + 1) + ") It", errors[i] + ".");
  throw FormatError(text);
}

std::int64_t first_of_all(const Comm& comm, std::int64_t first) {
  std::int64_t negative = -first;
  comm.max(std::span(&negative, 1));
  return -negative;
}

std::string link_name(std::int64_t link, const Coord& extent) {
  return sentence("direction", link % 4, "at site", to_string(coordinate(link / 4, extent)));
}

GaugeRead read_gauge_rows(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                          const SiteRows& rows, const TakeRows& take, const ReadOptions& options) {
  GaugeSource source = open_gauge_file(comm, path, options);
  require(source.header.extent == geometry.extent(), path.string(), "is a lattice of",
          to_string(source.header.extent) + ", and one of", to_string(geometry.extent()), "was asked for");
  std::optional<RowsReader> reader;
  comm.agree([&] {
    reader.emplace(source, geometry, rows);
    reader->read(take);
  });
  // From here on all ranks have the same values.
  SiteChecksum checksum = reader->checksum(), links_sum = reader->links_sum();
  checksum.combine(comm);
  links_sum.combine(comm);
  const std::int64_t bad = first_of_all(comm, reader->first_bad());
  GaugeRead result;
  result.header = std::move(source.header);
  if (const auto mismatch = checksum_mismatch(source, checksum)) {
    if (options.ignore_checksums)
      result.header.overridden.push_back("checksum: the file " + *mismatch);
    else
      result.failed.push_back(
          {*mismatch, "the links or the header are damaged; fetch the file again, or ask to ignore checksums"});
  }
  result.finite = bad == no_link;
  if (!result.finite)
    result.failed.push_back(
        {"has a link that is not finite, in " + link_name(bad, geometry.extent()), "the configuration is damaged"});
  result.links_sums = links_sum.values();
  return result;
}

}  // namespace kov::detail
