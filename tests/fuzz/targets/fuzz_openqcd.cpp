// SPDX-License-Identifier: MIT
#include "kov/core/io/byte_order.hpp"
#include "tests/fuzz/gauge.hpp"

namespace kov::fuzz {

std::vector<std::string> seeds() {
  std::vector<std::byte> bytes(24 + std::size_t(volume(small_extent)) / 2 * 8 * 144);
  constexpr std::size_t direction[4] = {3, 0, 1, 2};
  for (std::size_t i = 0; i < 4; ++i) store(bytes.data() + 4 * i, small_extent[direction[i]], std::endian::little);
  store(bytes.data() + 16, 3.0, std::endian::little);
  for (std::size_t i = 0; 24 + 8 * i < bytes.size(); ++i)
    store(bytes.data() + 24 + 8 * i, i % 18 % 8 == 0 ? 1.0 : 0.0, std::endian::little);
  return {{reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
}

void read(const std::string& input) { read_gauge_input(input); }

}  // namespace kov::fuzz
