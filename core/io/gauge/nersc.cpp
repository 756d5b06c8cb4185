// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/nersc.hpp"

#include "kov/core/io/atomic_file.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kov::detail {

namespace {

constexpr std::string_view first_line = "BEGIN_HEADER", last_line = "END_HEADER";
constexpr std::uint64_t longest_header = 1 << 20;

std::string numbered(std::string key, int number) { return key += std::to_string(number); }

struct NerscHeader {
  std::vector<std::pair<std::string, std::string>> keys;
  std::uint64_t data_offset = 0;

  const std::string* find(std::string_view key) const {
    for (const auto& [k, value] : keys) {
      if (k == key) return &value;
    }
    return nullptr;
  }
};

NerscHeader parse_lines(const InputFile& file) {
  NerscHeader header;
  const std::string text = file.text(0, longest_header);
  std::size_t at = text.find('\n');
  while (at != std::string::npos) {
    const std::size_t start = at + 1, end = text.find('\n', start);
    if (end == std::string::npos) break;
    const std::string line = trim(std::string_view(text).substr(start, end - start));
    if (line == last_line) {
      header.data_offset = end + 1;
      return header;
    }
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) {
      header.keys.emplace_back(trim(std::string_view(line).substr(0, equals)),
                               trim(std::string_view(line).substr(equals + 1)));
    }
    at = end;
  }
  throw FormatError(sentence(file.name(), "begins like a NERSC file, but no END_HEADER follows in the first",
                             text.size(), "bytes: it is truncated or damaged"));
}

const std::string& need(const NerscHeader& header, const std::string& key, const InputFile& file) {
  const std::string* value = header.find(key);
  require<FormatError>(value != nullptr, file.name(), "has no", key,
                       "in its NERSC header: without it the links cannot be read");
  return *value;
}

/// bits and byte order from FLOATING_POINT; without a suffix the numbers are big endian.
SiteFormat floating_point(const std::string& value, const InputFile& file) {
  constexpr std::string_view names[] = {"IEEE32", "IEEE32BIG", "IEEE32LITTLE", "IEEE64", "IEEE64BIG", "IEEE64LITTLE"};
  require<FormatError>(std::find(std::begin(names), std::end(names), value) != std::end(names), file.name(),
                       "has FLOATING_POINT =", in_quotes(value),
                       "in its NERSC header, but only IEEE32 or IEEE64 with BIG or LITTLE can be read");
  return {.bits = value.starts_with("IEEE32") ? 32 : 64,
          .order = value.ends_with("LITTLE") ? std::endian::little : std::endian::big};
}

std::int64_t dimension(const NerscHeader& header, int mu, const InputFile& file) {
  const std::string key = numbered("DIMENSION_", mu + 1);
  const std::string& text = need(header, key, file);
  const auto value = parse_integer(text);
  require<FormatError>(value.has_value(), file.name(), "has", key, "=", in_quotes(text),
                       "in its NERSC header: not an integer; it is damaged, fetch it again");
  return *value;
}

}  // namespace

bool is_nersc(const InputFile& file) {
  const std::string start = file.text(0, first_line.size() + 1);
  return start.starts_with(first_line) && start.size() > first_line.size() &&
         std::isspace(static_cast<unsigned char>(start.back()));
}

GaugeSource nersc_source(const SharedFile& file) {
  const NerscHeader found = parse_lines(*file);
  const std::string name = file->name();
  const std::string& type = need(found, "DATATYPE", *file);
  const bool three = type == "4D_SU3_GAUGE_3x3" || type == "4D_SU3_GAUGE_3X3";
  require<FormatError>(three || type == "4D_SU3_GAUGE", name, "has DATATYPE =", in_quotes(type),
                       "in its NERSC header: only 4D_SU3_GAUGE and 4D_SU3_GAUGE_3x3 are SU(3) gauge configurations");
  SiteFormat format = floating_point(need(found, "FLOATING_POINT", *file), *file);
  format.rows = three ? 3 : 2;

  GaugeSource source;
  GaugeHeader& header = source.header;
  header.format = "NERSC";
  std::array<std::int64_t, 4> extent{};
  for (int mu = 0; mu < 4; ++mu) extent[mu] = dimension(found, mu, *file);
  header.extent = checked_extent(extent, name, "DIMENSION_1 to 4 of its NERSC header");
  header.bits = format.bits;
  header.big_endian = format.order == std::endian::big;
  header.rows = format.rows;
  header.metadata = found.keys;
  require_data(header.extent, format.bytes(), found.data_offset, file->size() - found.data_offset,
               found.find("CHECKSUM") ? DataLength::at_least : DataLength::exactly, name);
  if (const std::string* text = found.find("PLAQUETTE")) record_plaquette(header, *text, name);
  if (const std::string* text = found.find("LINK_TRACE")) record_link_trace(header, *text, name);
  source.order = format.order;
  if (const std::string* text = found.find("CHECKSUM")) {
    const auto value = parse_hex(*text);
    require<FormatError>(value.has_value(), name, "has CHECKSUM =", in_quotes(*text),
                         "in its NERSC header: not a 32-bit hexadecimal number; it is damaged, fetch it again");
    source.kind = ChecksumKind::nersc;
    source.expected[0] = *value;
    header.checksums.emplace_back("CHECKSUM", to_hex(*value));
  }
  source.open_box = lexicographic_reader(file, found.data_offset, format, header.extent, format.order);
  return source;
}

namespace {

/// A key as NERSC headers have them: upper case, digits, underscores.
std::string nersc_key(const std::string& key) {
  std::string result;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    result += std::isalnum(byte) ? char(std::toupper(byte)) : '_';
  }
  return result;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; }, ' ');
  return trim(text);
}

class NerscSink : public GaugeSink {
 public:
  NerscSink(const std::filesystem::path& path, const Coord& extent, const WriteOptions& options)
      : file_(path),
        extent_(extent),
        format_{.bits = options.bits,
                .order = std::endian::big,
                .rows = options.format == GaugeFormat::nersc_two_rows ? 2 : 3},
        checksum_(ChecksumKind::nersc, std::endian::big) {
    std::vector<std::pair<std::string, std::string>> keys{
        {"HDR_VERSION", "1.0"},
        {"DATATYPE", format_.rows == 2 ? "4D_SU3_GAUGE" : "4D_SU3_GAUGE_3x3"},
        {"STORAGE_FORMAT", "1.0"}};
    for (int mu = 0; mu < 4; ++mu) keys.emplace_back(numbered("DIMENSION_", mu + 1), std::to_string(extent[mu]));
    keys.emplace_back("LINK_TRACE", print_real(options.link_trace));
    keys.emplace_back("PLAQUETTE", print_real(options.plaquette));
    for (int mu = 0; mu < 4; ++mu) keys.emplace_back(numbered("BOUNDARY_", mu + 1), "PERIODIC");
    // Known before the links are; filled in by finish().
    keys.emplace_back("CHECKSUM", "00000000");
    keys.emplace_back("FLOATING_POINT", options.bits == 32 ? "IEEE32BIG" : "IEEE64BIG");
    const std::size_t own = keys.size();
    add_metadata(keys, own, options);
    std::string text = std::string(first_line) + "\n";
    for (const auto& [key, value] : keys) {
      if (key == "CHECKSUM") checksum_offset_ = text.size() + std::string_view("CHECKSUM = ").size();
      text += key + " = " + value + "\n";
    }
    text += std::string(last_line) + "\n";
    require(text.size() <= longest_header, "the metadata for", path.string(), "make a NERSC header of", text.size(),
            "bytes, but only", longest_header, "fit: shorten them, or write ILDG or HDF5");
    file_.write(text);
  }

  void slice(int t, std::span<const double> links) override {
    const std::int64_t first = lexicographic({0, 0, 0, t}, extent_);
    const std::uint64_t start = file_.extend(links.size() / reals_per_site * format_.bytes());
    encode_slice(links, first, format_, checksum_, [&](std::uint64_t offset, std::span<const std::byte> bytes) {
      file_.write_at(start + offset, bytes);
    });
  }
  void finish() override { file_.write_at(checksum_offset_, to_hex(checksum_.values()[0])); }
  const std::filesystem::path& temporary() const override { return file_.temporary(); }
  void commit() override { file_.commit(); }

 private:
  /// The caller's keys behind ours; what readers expect and nobody gave gets a neutral value.
  static void add_metadata(std::vector<std::pair<std::string, std::string>>& keys, std::size_t own,
                           const WriteOptions& options) {
    for (const auto& [name, value] : options.metadata) {
      std::string key = nersc_key(name);
      const auto taken = [&](const auto& pair) { return pair.first == key; };
      if (std::any_of(keys.begin(), keys.begin() + std::ptrdiff_t(own), taken)) key = "SOURCE_" + key;
      keys.emplace_back(key, one_line(value));
    }
    const std::pair<const char*, std::string> expected[] = {
        {"ENSEMBLE_ID", "unknown"},     {"ENSEMBLE_LABEL", "unknown"},   {"SEQUENCE_NUMBER", "0"},
        {"CREATOR", "Kovariant"},       {"CREATOR_HARDWARE", "unknown"}, {"CREATION_DATE", date(options)},
        {"ARCHIVE_DATE", date(options)}};
    for (const auto& [key, value] : expected) {
      const auto is_key = [k = key](const auto& pair) { return pair.first == k; };
      if (std::none_of(keys.begin(), keys.end(), is_key)) keys.emplace_back(key, value);
    }
  }

  OutputFile file_;
  Coord extent_;
  SiteFormat format_;
  SiteChecksum checksum_;
  std::uint64_t checksum_offset_ = 0;
};

}  // namespace

std::unique_ptr<GaugeSink> nersc_sink(const std::filesystem::path& path, const Coord& extent,
                                      const WriteOptions& options) {
  return std::make_unique<NerscSink>(path, extent, options);
}

}  // namespace kov::detail
