// SPDX-License-Identifier: MIT
#include "kov/core/io/checksum.hpp"

#include "kov/core/base/host_threads.hpp"
#include "kov/core/io/byte_order.hpp"

#include <libdeflate.h>

namespace kov {

std::uint32_t crc32(std::span<const std::byte> bytes) {
  // The library takes a null pointer for the wish to know the checksum of nothing, which is 0 as well.
  return bytes.empty() ? 0 : libdeflate_crc32(0, bytes.data(), bytes.size());
}

namespace {

/// The sum of all words; order as a template parameter lets the loop be vectorised.
template <std::endian order>
std::uint32_t sum_of_words(std::span<const std::byte> bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size() / 4; ++i) sum += load<std::uint32_t>(bytes.data() + 4 * i, order);
  return sum;
}

}  // namespace

void SiteChecksum::add(std::int64_t site, std::span<const std::byte> bytes) {
  if (kind_ == ChecksumKind::scidac) {
    const std::uint32_t crc = crc32(bytes);
    values_[0] ^= std::rotl(crc, int(site % 29));
    values_[1] ^= std::rotl(crc, int(site % 31));
  } else {
    add_words(site * std::int64_t(bytes.size() / 4), bytes);
  }
}

void SiteChecksum::add_words(std::int64_t first, std::span<const std::byte> bytes) {
  switch (kind_) {
    case ChecksumKind::none:
    case ChecksumKind::scidac:
      break;
    case ChecksumKind::nersc:
      values_[0] +=
          order_ == std::endian::big ? sum_of_words<std::endian::big>(bytes) : sum_of_words<std::endian::little>(bytes);
      break;
    case ChecksumKind::milc: {
      int r29 = int(first % 29), r31 = int(first % 31);
      for (std::size_t i = 0; i < bytes.size(); i += 4) {
        const auto word = load<std::uint32_t>(bytes.data() + i, order_);
        values_[0] ^= std::rotl(word, r29);
        values_[1] ^= std::rotl(word, r31);
        r29 = r29 == 28 ? 0 : r29 + 1;
        r31 = r31 == 30 ? 0 : r31 + 1;
      }
      break;
    }
  }
}

void SiteChecksum::add_sites(std::int64_t first, std::size_t site_bytes, std::span<const std::byte> bytes) {
  if (kind_ == ChecksumKind::nersc || kind_ == ChecksumKind::milc) {
    add_words(first * std::int64_t(site_bytes / 4), bytes);
  } else if (kind_ == ChecksumKind::scidac) {
    for (std::size_t at = 0; at < bytes.size(); at += site_bytes, ++first) add(first, bytes.subspan(at, site_bytes));
  }
}

void SiteChecksum::merge(const SiteChecksum& other) {
  for (std::size_t i = 0; i < values_.size(); ++i)
    values_[i] = kind_ == ChecksumKind::nersc ? values_[i] + other.values_[i] : values_[i] ^ other.values_[i];
}

void SiteChecksum::combine(const Comm& comm) {
  if (kind_ == ChecksumKind::nersc) {
    comm.sum(std::span<std::uint32_t>(values_));
  } else if (kind_ != ChecksumKind::none) {
    comm.bit_xor(std::span<std::uint32_t>(values_));
  }
}

ThreadChecksums::ThreadChecksums(ChecksumKind kind, std::endian order)
    : shares_(n_host_threads(), {SiteChecksum(kind, order), {}}) {}

SiteChecksum ThreadChecksums::sum() const {
  SiteChecksum sum(shares_.front().checksum.kind(), shares_.front().checksum.order());
  for (const Share& share : shares_) sum.merge(share.checksum);
  return sum;
}

std::vector<std::string> checksum_names(ChecksumKind kind) {
  switch (kind) {
    case ChecksumKind::nersc:
      return {"CHECKSUM"};
    case ChecksumKind::scidac:
      return {"suma", "sumb"};
    case ChecksumKind::milc:
      return {"sum29", "sum31"};
    case ChecksumKind::none:
      break;
  }
  return {};
}

}  // namespace kov
