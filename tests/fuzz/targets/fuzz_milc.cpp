// SPDX-License-Identifier: MIT
//
// MILC's two versions in both byte orders.
#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/checksum.hpp"
#include "tests/fuzz/gauge.hpp"

namespace kov::fuzz {

namespace {

std::string file(std::uint32_t magic, std::endian order) {
  const std::size_t header = magic == 20103 ? 96 : 28, site = 4 * 72;
  std::vector<std::byte> bytes(header + std::size_t(volume(small_extent)) * site);
  store(bytes.data(), magic, order);
  for (std::size_t mu = 0; mu < 4; ++mu) store(bytes.data() + 4 + 4 * mu, small_extent[mu], order);
  for (std::size_t i = header; i < bytes.size(); i += 4)
    store(bytes.data() + i, (i - header) / 4 % 18 % 8 == 0 ? 1.0f : 0.0f, order);
  SiteChecksum sum(ChecksumKind::milc, order);
  sum.add_sites(0, site, std::span(bytes).subspan(header));
  if (magic == 20103)
    for (std::size_t i = 0; i < 2; ++i) store(bytes.data() + 88 + 4 * i, sum.values()[i], order);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::string> seeds() {
  return {file(20103, std::endian::little), file(20103, std::endian::big), file(59354, std::endian::little)};
}

void read(const std::string& input) { read_gauge_input(input); }

}  // namespace kov::fuzz
