// SPDX-License-Identifier: MIT
#include "kov/core/io/lime.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <array>

namespace kov {

namespace {

constexpr std::uint32_t magic = 0x456789ab;
constexpr std::uint64_t header_bytes = 144, type_bytes = 128, type_offset = 16;
constexpr std::uint16_t begin_bit = 0x8000, end_bit = 0x4000;
constexpr std::size_t most_records = 65536;

std::uint64_t padding(std::uint64_t length) { return (8 - length % 8) % 8; }

LimeRecord parse_header(const InputFile& file, std::uint64_t offset) {
  std::array<std::byte, header_bytes> header;
  file.read(offset, header);
  const auto found = load<std::uint32_t>(header.data(), std::endian::big);
  require<FormatError>(found == magic, file.name(), "has no LIME record at byte",
                       std::to_string(offset) + ": the magic number there is",
                       to_hex(found) + ", not 456789ab; the file is damaged, fetch it again");
  const auto version = load<std::uint16_t>(header.data() + 4, std::endian::big);
  require<FormatError>(version == 1, file.name(), "has a LIME record of version", version, "at byte",
                       std::to_string(offset) + ": only 1 exists");
  const auto flags = load<std::uint16_t>(header.data() + 6, std::endian::big);
  const auto length = load<std::uint64_t>(header.data() + 8, std::endian::big);
  const char* name = reinterpret_cast<const char*>(header.data() + type_offset);
  std::string type(name, std::find(name, name + type_bytes, '\0'));
  const std::uint64_t data = offset + header_bytes;
  require<FormatError>(length <= file.size() - data, file.name(), "is truncated: the LIME record", in_quotes(type),
                       "at byte", offset, "promises", length, "bytes of data, but the file has", file.size() - data,
                       "left; fetch it again");
  return {std::move(type), offset, data, length, (flags & begin_bit) != 0, (flags & end_bit) != 0};
}

bool only_zeros(const InputFile& file, std::uint64_t offset) {
  const std::string rest = file.text(offset, header_bytes);
  return std::all_of(rest.begin(), rest.end(), [](char c) { return c == 0; });
}

}  // namespace

bool is_lime(const InputFile& file) {
  std::array<std::byte, 4> bytes;
  if (file.size() < bytes.size()) return false;
  file.read(0, bytes);
  return load<std::uint32_t>(bytes.data(), std::endian::big) == magic;
}

std::vector<LimeRecord> lime_records(const InputFile& file) {
  std::vector<LimeRecord> records;
  std::uint64_t offset = 0;
  while (offset < file.size()) {
    if (file.size() - offset < header_bytes) {
      // Zeros are padding; the first header must be whole.
      if (offset > 0 && only_zeros(file, offset)) break;
      throw FormatError(sentence(file.name(), "is truncated: it ends at byte", file.size(),
                                 "within the header of the LIME record at byte",
                                 std::to_string(offset) + "; fetch it again"));
    }
    require<FormatError>(records.size() < most_records, file.name(), "has more than", most_records,
                         "LIME records, more than any gauge configuration");
    records.push_back(parse_header(file, offset));
    const LimeRecord& last = records.back();
    offset = last.data_offset + last.length + padding(last.length);
  }
  return records;
}

std::string lime_text(const InputFile& file, const LimeRecord& record, std::uint64_t longest) {
  std::string text = file.text(record.data_offset, std::min(record.length, longest));
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

void LimeWriter::text(std::string_view type, Position position, std::string_view content) {
  std::string terminated(content);
  terminated += '\0';
  begin(type, position, terminated.size());
  data(std::as_bytes(std::span(terminated)));
  end();
}

void LimeWriter::begin(std::string_view type, Position position, std::uint64_t length) {
  require(remaining_ == 0, "a LIME record cannot begin before the last one has its", remaining_, "missing bytes");
  require(type.size() < type_bytes, "a LIME type has at most 127 characters:", printable(type));
  std::array<std::byte, header_bytes> header{};
  std::uint16_t flags = 0;
  if (position == Position::only || position == Position::first) flags |= begin_bit;
  if (position == Position::only || position == Position::last) flags |= end_bit;
  store(header.data(), magic, std::endian::big);
  store(header.data() + 4, std::uint16_t(1), std::endian::big);
  store(header.data() + 6, flags, std::endian::big);
  store(header.data() + 8, length, std::endian::big);
  std::memcpy(header.data() + type_offset, type.data(), type.size());
  file_.write(header);
  remaining_ = length_ = length;
}

void LimeWriter::data(std::span<const std::byte> bytes) {
  data(bytes.size(), [&](std::uint64_t offset) { file_.write_at(offset, bytes); });
}

void LimeWriter::data(std::uint64_t length, const std::function<void(std::uint64_t)>& write) {
  require(length <= remaining_, "a LIME record of", length_, "bytes was given more than that");
  write(file_.extend(length));
  remaining_ -= length;
}

void LimeWriter::end() {
  require(remaining_ == 0, "a LIME record of", length_, "bytes still lacks", remaining_);
  constexpr std::array<std::byte, 8> zeros{};
  file_.write(std::span(zeros).first(padding(length_)));
}

}  // namespace kov
