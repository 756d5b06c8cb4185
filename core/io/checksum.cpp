// SPDX-License-Identifier: MIT
#include "kov/core/io/checksum.hpp"

#include "kov/core/io/byte_order.hpp"

#include <zlib.h>

namespace kov {

std::uint32_t crc32(std::span<const std::byte> bytes) {
  uLong crc = ::crc32(0, Z_NULL, 0);
  while (!bytes.empty()) {
    const std::size_t some = std::min<std::size_t>(bytes.size(), std::size_t(1) << 30);
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), uInt(some));
    bytes = bytes.subspan(some);
  }
  return std::uint32_t(crc);
}

void SiteChecksum::add(std::int64_t site, std::span<const std::byte> bytes) {
  switch (kind_) {
    case ChecksumKind::none:
      break;
    case ChecksumKind::nersc:
      for (std::size_t i = 0; i < bytes.size(); i += 4) values_[0] += load<std::uint32_t>(bytes.data() + i, order_);
      break;
    case ChecksumKind::scidac: {
      const std::uint32_t crc = crc32(bytes);
      values_[0] ^= std::rotl(crc, int(site % 29));
      values_[1] ^= std::rotl(crc, int(site % 31));
      break;
    }
    case ChecksumKind::milc: {
      const std::int64_t first = site * std::int64_t(bytes.size() / 4);
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

void SiteChecksum::combine(const Comm& comm) {
  if (kind_ == ChecksumKind::nersc) {
    comm.sum(std::span<std::uint32_t>(values_));
  } else if (kind_ != ChecksumKind::none) {
    comm.bit_xor(std::span<std::uint32_t>(values_));
  }
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
