// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/ildg.hpp"

#include "kov/core/io/gauge/scidac.hpp"
#include "kov/core/io/lime.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/io/xml.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kov::detail {

namespace {

constexpr std::uint64_t longest_text = 1 << 16;
constexpr SiteFormat ildg_format(int bits) { return {.bits = bits, .order = std::endian::big}; }

/// A LIME file's records, and of them those that describe its first lattice.
struct Records {
  const InputFile& file;
  std::vector<LimeRecord> all;
  std::size_t data = 0;
  /// Of records that are no XML.
  mutable std::vector<std::string> warnings = {};

  /// The text of the first record of this type, or nothing.
  std::optional<std::string> text(std::string_view type, std::size_t from = 0) const {
    for (std::size_t i = from; i < all.size(); ++i) {
      if (all[i].type == type) return lime_text(file, all[i], longest_text);
    }
    return std::nullopt;
  }
  /// The same, parsed; damage is noted.
  std::optional<XmlRecord> xml(const std::string& type, std::size_t from = 0) const {
    const auto found = text(type, from);
    if (!found) return std::nullopt;
    XmlRecord record(*found);
    if (!record.problem().empty())
      warnings.push_back("its LIME record " + type + " is not XML (" + record.problem() +
                         "): elements were looked for by name");
    return record;
  }
};

bool is_binary(const LimeRecord& record) {
  return record.type == "ildg-binary-data" || record.type == "scidac-binary-data";
}

Records find_records(const InputFile& file) {
  Records records{file, lime_records(file)};
  const auto data = std::find_if(records.all.begin(), records.all.end(), is_binary);
  std::string types;
  for (std::size_t i = 0; i < std::min<std::size_t>(records.all.size(), 20); ++i)
    (types += ' ') += printable(records.all[i].type);
  require<FormatError>(data != records.all.end(), file.name(),
                       "is a LIME file without ildg-binary-data or scidac-binary-data, so it holds no gauge "
                       "configuration; its records:" +
                           types);
  records.data = std::size_t(data - records.all.begin());
  return records;
}

/// Extents and, where it says so, bits.
struct Shape {
  std::optional<Coord> extent;
  std::optional<int> bits;
};

Shape shape_from_ildg(const XmlRecord& xml, const InputFile& file) {
  const auto field = xml.element("field");
  require<FormatError>(!field || *field == "su3gauge", file.name(), "has the field", in_quotes(field.value_or("")),
                       "in its LIME record ildg-format: only su3gauge is a gauge configuration");
  constexpr const char* names[] = {"lx", "ly", "lz", "lt"};
  std::array<std::int64_t, 4> extent{};
  for (std::size_t mu = 0; mu < 4; ++mu) extent[mu] = xml_integer(xml, names[mu], "ildg-format", file);
  const std::int64_t bits = xml_integer(xml, "precision", "ildg-format", file);
  require<FormatError>(bits == 32 || bits == 64, file.name(), "has precision", bits,
                       "in its LIME record ildg-format: it must be 32 or 64; it is damaged, fetch it again");
  return {checked_extent(extent, file.name(), "its LIME record ildg-format"), int(bits)};
}

/// QIO's description of the record; throws when it is not four color matrices a site.
std::optional<int> bits_of_links(const XmlRecord& xml, const InputFile& file) {
  const std::string record = "scidac-private-record-xml";
  const std::optional<int> bits = bits_from_scidac(xml, file);
  if (!bits) return bits;
  const std::int64_t size = xml_integer(xml, "typesize", record, file),
                     count = xml_integer(xml, "datacount", record, file);
  require<FormatError>(size == std::int64_t(ildg_format(*bits).link_bytes()) && count == 4, file.name(), "holds", count,
                       "objects of", size, "bytes a site by its LIME record", record + ",",
                       "and a gauge configuration has 4 of", ildg_format(*bits).link_bytes());
  return bits;
}

/// Extents and bits from whatever the file has, the caller's options filling what is missing.
Shape find_shape(const Records& records, const ReadOptions& options) {
  const InputFile& file = records.file;
  Shape shape;
  if (const auto xml = records.xml("scidac-private-file-xml")) shape.extent = extent_from_scidac(*xml, file);
  if (const auto xml = records.xml("scidac-private-record-xml")) shape.bits = bits_of_links(*xml, file);
  if (const auto xml = records.xml("ildg-format")) {
    const Shape ildg = shape_from_ildg(*xml, file);
    require<FormatError>(!shape.extent || *shape.extent == *ildg.extent, file.name(),
                         "contradicts itself: scidac-private-file-xml has the extents",
                         to_string(shape.extent.value_or(Coord{})) + ",", "ildg-format", to_string(*ildg.extent),
                         "; it is damaged, fetch it again");
    require<FormatError>(!shape.bits || *shape.bits == *ildg.bits, file.name(),
                         "contradicts itself: scidac-private-record-xml has", shape.bits.value_or(0),
                         "bits, ildg-format", *ildg.bits, "; it is damaged, fetch it again");
    shape = ildg;
  }
  if (!shape.extent) shape.extent = options.extent;
  require(shape.extent.has_value(), file.name(),
          "says nowhere how large its lattice is, it has neither ildg-format nor scidac-private-file-xml:",
          "give the extents");
  return shape;
}

/// Without a precision anywhere, the length of the data decides.
int bits_from_length(const Coord& extent, std::uint64_t length) {
  const double sites = double(extent[0]) * extent[1] * extent[2] * extent[3];
  return double(length) == sites * double(ildg_format(32).bytes()) ? 32 : 64;
}

/// The plaquette and link trace that MILC (usqcdInfo in scidac-record-xml) and tmLQCD (xlf-info) write.
void recorded_values(GaugeHeader& header, const Records& records) {
  const std::string name = records.file.name();
  const auto xml = records.xml("scidac-record-xml");
  if (xml && xml->element("usqcdInfo")) {
    record_plaquette(header, xml->element("plaq").value_or(""), name);
    record_link_trace(header, xml->element("linktr").value_or(""), name);
  }
  const auto xlf = records.text("xlf-info");
  if (!xlf || header.plaquette) return;
  std::vector<std::string> parts = words(*xlf);
  for (std::size_t i = 0; i + 2 < parts.size(); ++i) {
    if (parts[i] != "plaquette" || parts[i + 1] != "=") continue;
    if (parts[i + 2].ends_with(',')) parts[i + 2].pop_back();
    return record_plaquette(header, parts[i + 2], name);
  }
}

void find_checksum(GaugeSource& source, const Records& records) {
  const auto xml = records.xml("scidac-checksum", records.data);
  if (!xml) return;
  source.kind = ChecksumKind::scidac;
  source.expected = sums_from_scidac(*xml, records.file);
  const std::vector<std::string> names = checksum_names(source.kind);
  for (std::size_t i = 0; i < 2; ++i) source.header.checksums.emplace_back(names[i], to_hex(source.expected[i]));
}

}  // namespace

GaugeSource ildg_source(const SharedFile& file, const ReadOptions& options) {
  const Records records = find_records(*file);
  const LimeRecord& data = records.all[records.data];
  const Shape shape = find_shape(records, options);

  GaugeSource source;
  GaugeHeader& header = source.header;
  header.format = data.type == "ildg-binary-data" ? "ILDG" : "SciDAC";
  header.extent = *shape.extent;
  header.bits = shape.bits.value_or(bits_from_length(header.extent, data.length));
  for (const LimeRecord& record : records.all) {
    header.metadata.emplace_back(record.type, is_binary(record) ? std::to_string(record.length) + " bytes"
                                                                : lime_text(*file, record, longest_text));
  }
  const SiteFormat format = ildg_format(header.bits);
  require_data(header.extent, format.bytes(), data.data_offset, data.length, DataLength::exactly, file->name());
  recorded_values(header, records);
  find_checksum(source, records);
  header.warnings = records.warnings;
  source.open_box = lexicographic_reader(file, data.data_offset, format, header.extent, format.order);
  return source;
}

namespace {

std::string private_record_xml(const WriteOptions& options) {
  const bool single = options.bits == 32;
  return xml_head() +
         xml_element("scidacRecord", xml_element("version", "1.1") + xml_element("date", xml_escape(date(options))) +
                                         xml_element("recordtype", "0") +
                                         xml_element("datatype", single ? "QDP_F3_ColorMatrix" : "QDP_D3_ColorMatrix") +
                                         xml_element("precision", single ? "F" : "D") + xml_element("colors", "3") +
                                         xml_element("spins", "1") + xml_element("typesize", single ? "72" : "144") +
                                         xml_element("datacount", "4"));
}

/// Plaquette, link trace and the caller's metadata in USQCD's form, which MILC writes as well.
std::string record_xml(const WriteOptions& options) {
  std::string lines;
  for (const auto& [key, value] : options.metadata) lines += xml_escape(key + " = " + value) + "\n";
  return xml_head() +
         xml_element("usqcdInfo", xml_element("version", "1.0") + xml_element("plaq", print_real(options.plaquette)) +
                                      xml_element("linktr", print_real(options.link_trace)) +
                                      xml_element("info", lines));
}

std::string ildg_format_xml(const Coord& extent, int bits) {
  std::string content =
      xml_element("version", "1.0") + xml_element("field", "su3gauge") + xml_element("precision", std::to_string(bits));
  constexpr const char* names[] = {"lx", "ly", "lz", "lt"};
  for (std::size_t mu = 0; mu < 4; ++mu) content += xml_element(names[mu], std::to_string(extent[mu]));
  return xml_head() +
         R"(<ildgFormat xmlns="http://www.lqcd.org/ildg" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
         R"(xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd">)" +
         content + "</ildgFormat>";
}

/// The record names, order and message flags are those of QIO.
class IldgSink : public GaugeSink {
 public:
  IldgSink(const std::filesystem::path& path, const Coord& extent, const WriteOptions& options)
      : file_(path),
        lime_(file_),
        extent_(extent),
        format_(ildg_format(options.bits)),
        checksum_(ChecksumKind::scidac, std::endian::big) {
    using enum LimeWriter::Position;
    const std::string info = record_xml(options);
    require(info.size() < longest_text, "the metadata for", path.string(), "are", info.size(), "bytes of XML, but only",
            longest_text, "fit: shorten them, or write HDF5");
    lime_.text("scidac-private-file-xml", first, private_file_xml(extent));
    lime_.text("scidac-file-xml", last, xml_head() + xml_element("title", "Gauge configuration"));
    lime_.text("scidac-private-record-xml", first, private_record_xml(options));
    lime_.text("scidac-record-xml", middle, info);
    lime_.text("ildg-format", middle, ildg_format_xml(extent, options.bits));
    lime_.begin("ildg-binary-data", middle, std::uint64_t(volume(extent)) * format_.bytes());
  }

  void slice(int t, std::span<const double> links) override {
    const std::int64_t site = lexicographic({0, 0, 0, t}, extent_);
    lime_.data(links.size() / reals_per_site * format_.bytes(), [&](std::uint64_t start) {
      encode_slice(links, site, format_, checksum_, [&](std::uint64_t offset, std::span<const std::byte> bytes) {
        file_.write_at(start + offset, bytes);
      });
    });
  }
  void finish() override {
    lime_.end();
    lime_.text("scidac-checksum", LimeWriter::Position::last, checksum_xml(checksum_.values()));
  }
  const std::filesystem::path& temporary() const override { return file_.temporary(); }
  void commit() override { file_.commit(); }

 private:
  OutputFile file_;
  LimeWriter lime_;
  Coord extent_;
  SiteFormat format_;
  SiteChecksum checksum_;
};

}  // namespace

std::unique_ptr<GaugeSink> ildg_sink(const std::filesystem::path& path, const Coord& extent,
                                     const WriteOptions& options) {
  return std::make_unique<IldgSink>(path, extent, options);
}

}  // namespace kov::detail
