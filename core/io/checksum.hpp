// SPDX-License-Identifier: MIT
//
// Checksums of gauge-configuration files, taken site by site over the bytes in the file, in any order and on any rank.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kov {

/// The checksums that formats of gauge configurations record.
enum class ChecksumKind {
  none,
  /// NERSC archive: the sum of all 32-bit words, modulo 2^32; a 64-bit number counts as two words.
  nersc,
  /// SciDAC (QIO): xor over sites of the crc32 of the site's bytes, rotated left by the site's lexicographic index
  /// modulo 29 (suma) and modulo 31 (sumb).
  scidac,
  /// MILC version 5: xor over all 32-bit words, rotated left by the word's index modulo 29 (sum29) and 31 (sum31).
  milc
};

/// The crc32 of IEEE 802.3, which is zlib's as well.
std::uint32_t crc32(std::span<const std::byte> bytes);

/// One rank's share of a file's checksum, and after combine() the whole.
class SiteChecksum {
 public:
  /// order: how 32-bit words are stored in the file.
  SiteChecksum(ChecksumKind kind, std::endian order) : kind_(kind), order_(order) {}

  /// Takes in one site.  site: lexicographic index in the whole lattice; bytes: all of its links as they are in the
  /// file.
  void add(std::int64_t site, std::span<const std::byte> bytes);

  /// The same for sites that follow one another, of site_bytes each.
  void add_sites(std::int64_t first, std::size_t site_bytes, std::span<const std::byte> bytes);

  /// Joins the share of another thread, which has the same kind and order.
  void merge(const SiteChecksum& other);

  /// Collective: joins the shares of all ranks.
  void combine(const Comm& comm);

  ChecksumKind kind() const { return kind_; }
  std::endian order() const { return order_; }
  /// The sum, or the pair; entries that the kind does not use are 0.
  const std::array<std::uint32_t, 2>& values() const { return values_; }

 private:
  /// Whole 32-bit words; first: index of the first one in the file's data.
  void add_words(std::int64_t first, std::span<const std::byte> bytes);

  ChecksumKind kind_;
  std::endian order_;
  std::array<std::uint32_t, 2> values_{};
};

/// The shares of a checksum that threads of on_host_threads() add to at the same time.
class ThreadChecksums {
 public:
  struct alignas(64) Share {  // a cache line of its own
    SiteChecksum checksum;
    /// For the sites' bytes.
    std::vector<std::byte> bytes;
  };
  ThreadChecksums(ChecksumKind kind, std::endian order);

  Share& of(int thread) { return shares_[std::size_t(thread)]; }
  /// All shares joined.
  SiteChecksum sum() const;

 private:
  std::vector<Share> shares_;
};

/// The names by which files know the numbers: ("CHECKSUM"), ("suma", "sumb"), ("sum29", "sum31").
std::vector<std::string> checksum_names(ChecksumKind kind);

}  // namespace kov
