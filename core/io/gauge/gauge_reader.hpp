// SPDX-License-Identifier: MIT
//
// Reading the links of a configuration in any format: threads of all ranks read rows of sites and verify them.
#pragma once

#include "kov/core/io/gauge/gauge_source.hpp"
#include "kov/core/lattice/site_rows.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace kov::detail {

/// Recognises the format by content and reads the header.  Collective.  Throws like read_gauge_header().
GaugeSource open_gauge_file(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options);

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

/// Instead of 4 * site + mu where there is no such link.
inline constexpr std::int64_t no_link = std::numeric_limits<std::int64_t>::max();
/// The smallest of the links that the ranks name, each its first one.  Collective.
std::int64_t first_of_all(const Comm& comm, std::int64_t first);
/// "direction 2 at site 0 0 3 1"
std::string link_name(std::int64_t link, const Coord& extent);

}  // namespace kov::detail
