// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge_source.hpp"

#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <ctime>
#include <limits>

namespace kov::detail {

namespace {

/// Bytes read or written at a time, about.
constexpr std::size_t piece_bytes = std::size_t(1) << 22;

template <class Real>
void decode_reals(const std::byte* bytes, std::endian order, int n, double* out) {
  for (int i = 0; i < n; ++i) out[i] = double(load<Real>(bytes + std::size_t(i) * sizeof(Real), order));
}

template <class Real>
void encode_reals(const double* in, std::endian order, int n, std::byte* bytes) {
  for (int i = 0; i < n; ++i) store(bytes + std::size_t(i) * sizeof(Real), Real(in[i]), order);
}

void record(GaugeHeader& header, std::optional<double>& slot, const char* what, const std::string& text,
            const std::string& file, double scale) {
  if (text.empty()) return;
  const auto value = parse_real(text);
  require<FormatError>(value.has_value(), file, "records a", what, "of", in_quotes(text) + ",", "which is no number");
  slot = *value / scale;
  const double tolerance = std::clamp(printed_unit(text) / scale, header.bits == 32 ? 1e-6 : 1e-11, 1e-5);
  header.recorded_tolerance = std::max(header.recorded_tolerance, tolerance);
}

}  // namespace

void complete_third_row(double* link) {
  const double *a = link, *b = link + 6;
  double* c = link + 12;
  for (int k = 0; k < 3; ++k) {
    const int i = 2 * ((k + 1) % 3), j = 2 * ((k + 2) % 3);
    c[2 * k] = (a[i] * b[j] - a[i + 1] * b[j + 1]) - (a[j] * b[i] - a[j + 1] * b[i + 1]);
    c[2 * k + 1] = -((a[i] * b[j + 1] + a[i + 1] * b[j]) - (a[j] * b[i + 1] + a[j + 1] * b[i]));
  }
}

void decode_link(const std::byte* bytes, const SiteFormat& format, double* link) {
  const int n = 6 * format.rows;
  if (format.bits == 32) {
    decode_reals<float>(bytes, format.order, n, link);
  } else {
    decode_reals<double>(bytes, format.order, n, link);
  }
  if (format.rows == 2) complete_third_row(link);
}

void decode_site(const std::byte* bytes, const SiteFormat& format, double* links) {
  for (int mu = 0; mu < 4; ++mu)
    decode_link(bytes + std::size_t(mu) * format.link_bytes(), format, links + mu * reals_per_link);
}

void encode_site(const double* links, const SiteFormat& format, std::byte* bytes) {
  for (int mu = 0; mu < 4; ++mu) {
    std::byte* out = bytes + std::size_t(mu) * format.link_bytes();
    const double* link = links + mu * reals_per_link;
    if (format.bits == 32) {
      encode_reals<float>(link, format.order, 6 * format.rows, out);
    } else {
      encode_reals<double>(link, format.order, 6 * format.rows, out);
    }
  }
}

ReadBox lexicographic_reader(SharedFile file, std::uint64_t offset, SiteFormat format, Coord extent) {
  return [=](const Coord& origin, const Coord& box, std::span<double> links, SiteChecksum& checksum) {
    // Sites are contiguous both in the box and in the file as far as the box fills the fastest directions.
    std::int64_t run = box[0];
    for (int mu = 1; mu < 4 && box[mu - 1] == extent[mu - 1]; ++mu) run *= box[mu];
    const std::size_t site_bytes = format.bytes();
    const std::int64_t piece = std::max<std::int64_t>(1, std::int64_t(piece_bytes / site_bytes));
    std::vector<std::byte> buffer(std::size_t(std::min(piece, run)) * site_bytes);
    const std::int64_t sites = volume(box);
    for (std::int64_t start = 0; start < sites; start += run) {
      const Coord x = coordinate(start, box);
      const std::int64_t first =
          lexicographic({origin[0] + x[0], origin[1] + x[1], origin[2] + x[2], origin[3] + x[3]}, extent);
      for (std::int64_t done = 0; done < run; done += piece) {
        const std::int64_t n = std::min(piece, run - done);
        const std::span<std::byte> bytes = std::span(buffer).first(std::size_t(n) * site_bytes);
        file->read(offset + std::uint64_t(first + done) * site_bytes, bytes);
        for (std::int64_t i = 0; i < n; ++i) {
          const std::span<const std::byte> site = bytes.subspan(std::size_t(i) * site_bytes, site_bytes);
          checksum.add(first + done + i, site);
          decode_site(site.data(), format, links.data() + (start + done + i) * reals_per_site);
        }
      }
    }
  };
}

Coord checked_extent(const std::array<std::int64_t, 4>& found, const std::string& file, const std::string& what) {
  Coord extent{};
  for (int mu = 0; mu < 4; ++mu) {
    require<FormatError>(found[mu] >= 1 && found[mu] <= 65535, file, "has the extents", found[0], found[1], found[2],
                         found[3], "in",
                         what + ": each must be 1 to 65535; the header is damaged or of another format");
    extent[mu] = int(found[mu]);
  }
  return extent;
}

void require_data(const Coord& extent, std::size_t site_bytes, std::uint64_t offset, std::uint64_t available,
                  DataLength length, const std::string& file) {
  // bytes stays below 2^64: the extents are at most 65535 and it stops growing once it is too large.
  std::uint64_t bytes = site_bytes;
  bool fits = true;
  for (const int e : extent) {
    if (fits && bytes > std::numeric_limits<std::uint64_t>::max() / std::uint64_t(e)) fits = false;
    if (fits) bytes *= std::uint64_t(e);
  }
  const std::string promised = fits ? std::to_string(bytes) : "more than 2^64";
  require<FormatError>(fits && bytes <= available, file, "is truncated or its header damaged: a lattice of",
                       to_string(extent), "with", site_bytes, "bytes a site needs", promised, "bytes from byte", offset,
                       "on, and there are", available);
  require<FormatError>(length == DataLength::at_least || bytes == available, file, "has", available,
                       "bytes of links from byte", offset, "on where a lattice of", to_string(extent), "with",
                       site_bytes, "bytes a site needs exactly", promised);
}

void record_plaquette(GaugeHeader& header, const std::string& text, const std::string& file, double scale) {
  record(header, header.plaquette, "plaquette", text, file, scale);
}

void record_link_trace(GaugeHeader& header, const std::string& text, const std::string& file, double scale) {
  record(header, header.link_trace, "link trace", text, file, scale);
}

void check_checksum(GaugeSource& source, const SiteChecksum& found, const std::string& file, bool ignore_checksums) {
  if (source.kind == ChecksumKind::none || found.values() == source.expected) return;
  const std::vector<std::string> names = checksum_names(source.kind);
  std::string recorded, computed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string lead = (i ? std::string(", ") : std::string()) + names[i] + " ";
    recorded += lead + to_hex(source.expected[i]);
    computed += lead + to_hex(found.values()[i]);
  }
  const std::string mismatch = "records " + recorded + " and its links have " + computed;
  require<FormatError>(
      ignore_checksums, file,
      mismatch + ": the links or the header are damaged; fetch the file again, or ask to ignore checksums");
  source.header.overridden.push_back("checksum: the file " + mismatch);
}

void encode_slice(std::span<const double> links, std::int64_t first_site, const SiteFormat& format,
                  SiteChecksum& checksum, const std::function<void(std::span<const std::byte>)>& write) {
  const std::int64_t sites = std::int64_t(links.size()) / reals_per_site;
  const std::int64_t piece = std::int64_t(piece_bytes / format.bytes());
  std::vector<std::byte> buffer(std::size_t(std::min(piece, sites)) * format.bytes());
  for (std::int64_t done = 0; done < sites; done += piece) {
    const std::int64_t n = std::min(piece, sites - done);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::span<std::byte> site = std::span(buffer).subspan(std::size_t(i) * format.bytes(), format.bytes());
      encode_site(links.data() + (done + i) * reals_per_site, format, site.data());
      checksum.add(first_site + done + i, site);
    }
    write(std::span(buffer).first(std::size_t(n) * format.bytes()));
  }
}

std::string date(const WriteOptions& options) {
  if (!options.date.empty()) return options.date;
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  char text[64];
  std::snprintf(text, sizeof text, "%s %s %2d %02d:%02d:%02d %d UTC", days[utc.tm_wday], months[utc.tm_mon],
                utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, utc.tm_year + 1900);
  return text;
}

}  // namespace kov::detail
