// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/gauge_sink.hpp"

#include "kov/core/base/host_threads.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace kov::detail {

namespace {

/// Bytes encoded and written at a time, about: a piece stays in a core's cache.
constexpr std::size_t piece_bytes = std::size_t(1) << 18;

}  // namespace

void encode_slice(std::span<const double> links, std::int64_t first_site, const SiteFormat& format,
                  SiteChecksum& checksum, const WritePiece& write) {
  const std::int64_t sites = std::int64_t(links.size()) / reals_per_site;
  const std::int64_t piece = std::int64_t(piece_bytes / format.bytes());
  ThreadChecksums shares(checksum.kind(), checksum.order());
  on_host_threads("encode_slice", (sites + piece - 1) / piece, [&](std::int64_t i, int thread) {
    ThreadChecksums::Share& mine = shares.of(thread);
    const std::int64_t done = i * piece, n = std::min(piece, sites - done);
    add_links(mine, format, first_site + done,
              links.subspan(std::size_t(done * reals_per_site), std::size_t(n * reals_per_site)));
    write(std::uint64_t(done) * format.bytes(), mine.bytes);
  });
  checksum.merge(shares.sum());
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
