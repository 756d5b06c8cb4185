// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/milc.hpp"

#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <array>

namespace kov::detail {

namespace {

constexpr std::uint32_t magic_v5 = 20103, magic_v4 = 59354;
constexpr std::uint64_t header_v5 = 96, header_v4 = 28;

/// The byte order in which the file's first word is one of MILC's magic numbers.
std::optional<std::endian> byte_order(const InputFile& file) {
  std::array<std::byte, 4> word;
  if (file.size() < word.size()) return std::nullopt;
  file.read(0, word);
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const auto magic = load<std::uint32_t>(word.data(), order);
    if (magic == magic_v5 || magic == magic_v4) return order;
  }
  return std::nullopt;
}

}  // namespace

bool is_milc(const InputFile& file) { return byte_order(file).has_value(); }

GaugeSource milc_source(const SharedFile& file) {
  const std::string name = file->name();
  const std::endian order = *byte_order(*file);
  std::array<std::byte, header_v5> bytes{};
  file->read(0, std::span(bytes).first(4));
  const bool v5 = load<std::uint32_t>(bytes.data(), order) == magic_v5;
  const std::uint64_t offset = v5 ? header_v5 : header_v4;
  file->read(0, std::span(bytes).first(offset));

  GaugeSource source;
  source.order = order;
  GaugeHeader& header = source.header;
  header.format = v5 ? "MILC v5" : "MILC";
  header.bits = 32;
  header.big_endian = order == std::endian::big;
  std::array<std::int64_t, 4> extent{};
  for (std::size_t mu = 0; mu < 4; ++mu) extent[mu] = load<std::int32_t>(bytes.data() + 4 + 4 * mu, order);
  header.extent = checked_extent(extent, name, "bytes 4 to 20 of its MILC header");
  if (v5) {
    const char* date = reinterpret_cast<const char*>(bytes.data() + 20);
    header.metadata.emplace_back("date",
                                 trim(std::string_view(date, std::size_t(std::find(date, date + 64, '\0') - date))));
    const auto site_order = load<std::int32_t>(bytes.data() + 84, order);
    require<FormatError>(site_order == 0, name, "has its sites in MILC's node order", site_order,
                         "at byte 84:", "only lexicographic files can be read; save it as 'serial' with MILC");
    source.kind = ChecksumKind::milc;
    for (std::size_t i = 0; i < 2; ++i) source.expected[i] = load<std::uint32_t>(bytes.data() + 88 + 4 * i, order);
    for (std::size_t i = 0; i < 2; ++i)
      header.checksums.emplace_back(checksum_names(source.kind)[i], to_hex(source.expected[i]));
  } else {
    for (std::size_t i = 0; i < 2; ++i) {
      header.metadata.emplace_back(i == 0 ? "c1" : "c2", print_real(load<float>(bytes.data() + 20 + 4 * i, order)));
    }
  }
  const SiteFormat format{.bits = 32, .order = order};
  require_data(header.extent, format.bytes(), offset, file->size() - offset,
               v5 ? DataLength::at_least : DataLength::exactly, name);
  source.open_box = lexicographic_reader(file, offset, format, header.extent, format.order);
  return source;
}

}  // namespace kov::detail
