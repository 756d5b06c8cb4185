// SPDX-License-Identifier: MIT
//
// Where the common writer (gauge_writer.hpp) puts time slices; each format that is written has a sink of its own.
#pragma once

#include "kov/core/io/checksum.hpp"
#include "kov/core/io/gauge/gauge_file.hpp"
#include "kov/core/io/gauge/gauge_source.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace kov::detail {

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

/// Encodes a slice, in pieces of bounded size by all threads, and hands each to `write` with its offset from the
/// slice's first byte; adds the sites to the checksum.  `write` is called by several threads at once, and may change
/// the bytes.
using WritePiece = std::function<void(std::uint64_t offset, std::span<std::byte> bytes)>;
void encode_slice(std::span<const double> links, std::int64_t first_site, const SiteFormat& format,
                  SiteChecksum& checksum, const WritePiece& write);

/// options.date or now: "Thu Feb 12 13:40:21 1998 UTC".
std::string date(const WriteOptions& options);

}  // namespace kov::detail
