// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/gauge_source.hpp"

#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <limits>

namespace kov::detail {

namespace {

/// The order is a template parameter, so that loops are vectorised.
template <class Real, std::endian order>
void decode_as(const std::byte* bytes, std::int64_t n, double* out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = double(load<Real>(bytes + std::size_t(i) * sizeof(Real), order));
}

template <class Real, std::endian order>
void encode_as(const double* in, std::int64_t n, std::byte* bytes) {
  for (std::int64_t i = 0; i < n; ++i) store(bytes + std::size_t(i) * sizeof(Real), Real(in[i]), order);
}

template <class Word>
void swap_words(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word))
    store(bytes.data() + at, load<Word>(bytes.data() + at, std::endian::big), std::endian::little);
}

void record(GaugeHeader& header, std::optional<double>& slot, const char* what, const std::string& text,
            const std::string& file, double scale) {
  if (text.empty()) return;
  const auto value = parse_real(text);
  require<FormatError>(value.has_value(), file, "records a", what, "of", in_quotes(text) + ",",
                       "which is not a number");
  slot = *value / scale;
  const double tolerance = std::clamp(printed_unit(text) / scale, header.bits == 32 ? 1e-6 : 1e-11, 1e-5);
  header.recorded_tolerance = std::max(header.recorded_tolerance, tolerance);
}

}  // namespace

void decode_reals(const std::byte* bytes, const SiteFormat& format, std::int64_t n, double* out) {
  constexpr auto big = std::endian::big, little = std::endian::little;
  if (format.bits == 32)
    (format.order == big ? decode_as<float, big> : decode_as<float, little>)(bytes, n, out);
  else
    (format.order == big ? decode_as<double, big> : decode_as<double, little>)(bytes, n, out);
}

void encode_reals(const double* in, const SiteFormat& format, std::int64_t n, std::byte* bytes) {
  constexpr auto big = std::endian::big, little = std::endian::little;
  if (format.bits == 32)
    (format.order == big ? encode_as<float, big> : encode_as<float, little>)(in, n, bytes);
  else
    (format.order == big ? encode_as<double, big> : encode_as<double, little>)(in, n, bytes);
}

void swap_order(std::span<std::byte> bytes, int bits) {
  bits == 32 ? swap_words<std::uint32_t>(bytes) : swap_words<std::uint64_t>(bytes);
}

void complete_third_row(double* link) {
  const double *a = link, *b = link + 6;
  double* c = link + 12;
  for (int k = 0; k < 3; ++k) {
    const int i = 2 * ((k + 1) % 3), j = 2 * ((k + 2) % 3);
    c[2 * k] = (a[i] * b[j] - a[i + 1] * b[j + 1]) - (a[j] * b[i] - a[j + 1] * b[i + 1]);
    c[2 * k + 1] = -((a[i] * b[j + 1] + a[i + 1] * b[j]) - (a[j] * b[i + 1] + a[j + 1] * b[i]));
  }
}

void decode_links(const std::byte* bytes, const SiteFormat& format, std::int64_t n, double* links) {
  if (format.rows == 3) return decode_reals(bytes, format, n * reals_per_link, links);
  for (std::int64_t i = 0; i < n; ++i, links += reals_per_link) {
    decode_reals(bytes + std::size_t(i) * format.link_bytes(), format, 6 * format.rows, links);
    complete_third_row(links);
  }
}

void encode_links(const double* links, const SiteFormat& format, std::int64_t n, std::byte* bytes) {
  if (format.rows == 3) return encode_reals(links, format, n * reals_per_link, bytes);
  for (std::int64_t i = 0; i < n; ++i)
    encode_reals(links + i * reals_per_link, format, 6 * format.rows, bytes + std::size_t(i) * format.link_bytes());
}

void add_links(ReadScratch& share, const SiteFormat& format, std::int64_t first, std::span<const double> links) {
  const std::size_t sites = links.size() / reals_per_site;
  share.bytes.resize(sites * format.bytes());
  encode_links(links.data(), format, 4 * std::int64_t(sites), share.bytes.data());
  share.checksum.add_sites(first, format.bytes(), share.bytes);
}

OpenBox lexicographic_reader(SharedFile file, std::uint64_t offset, SiteFormat format, Coord extent,
                             std::endian checksum_order) {
  const ReadRun read = [=](const Coord& start, std::int64_t n, std::span<double> links, ReadScratch& scratch) {
    const std::int64_t first = lexicographic(start, extent);
    scratch.bytes.resize(std::size_t(n) * format.bytes());
    file->read(offset + std::uint64_t(first) * format.bytes(), scratch.bytes);
    SiteFormat found = format;
    if (found.order != checksum_order) {
      swap_order(scratch.bytes, format.bits);
      found.order = checksum_order;
    }
    scratch.checksum.add_sites(first, format.bytes(), scratch.bytes);
    decode_links(scratch.bytes.data(), found, 4 * n, links.data());
  };
  return [read](const Coord&, const Coord&) { return read; };
}

OpenBox memory_reader(ReadBox read_box, SiteFormat stored, Coord extent) {
  return [=](const Coord& origin, const Coord& box) -> ReadRun {
    const std::size_t size = std::size_t(volume(box)) * reals_per_site;
    // Not zeroed: every number is read, and the threads that read it touch it first.
    const std::shared_ptr<double[]> all(new double[size]);
    read_box(origin, box, {all.get(), size});
    return [=](const Coord& start, std::int64_t n, std::span<double> links, ReadScratch& scratch) {
      Coord local = start;
      for (int mu = 0; mu < 4; ++mu) local[mu] -= origin[mu];
      std::copy_n(all.get() + lexicographic(local, box) * reals_per_site, n * reals_per_site, links.begin());
      if (scratch.checksum.kind() != ChecksumKind::none)
        add_links(scratch, stored, lexicographic(start, extent), links.first(std::size_t(n) * reals_per_site));
    };
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
  require<FormatError>(fits && bytes <= available, file, "is truncated, or its header is damaged: a lattice of",
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

}  // namespace kov::detail
