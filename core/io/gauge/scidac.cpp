// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/scidac.hpp"

#include "kov/core/io/checksum.hpp"
#include "kov/core/io/gauge/gauge_source.hpp"
#include "kov/core/io/text.hpp"

#include <vector>

namespace kov::detail {

std::string xml_head() { return R"(<?xml version="1.0" encoding="UTF-8"?>)"; }

std::string xml_element(const std::string& name, const std::string& content) {
  return "<" + name + ">" + content + "</" + name + ">";
}

std::string private_file_xml(const Coord& extent) {
  return xml_head() +
         xml_element("scidacFile", xml_element("version", "1.1") + xml_element("spacetime", "4") +
                                       xml_element("dims", to_string(extent) + " ") + xml_element("volfmt", "0"));
}

std::string checksum_xml(const std::array<std::uint32_t, 2>& sums) {
  return xml_head() +
         xml_element("scidacChecksum", xml_element("version", "1.0") + xml_element("suma", to_hex(sums[0])) +
                                           xml_element("sumb", to_hex(sums[1])));
}

std::int64_t xml_integer(const XmlRecord& xml, const std::string& element, const std::string& record,
                         const InputFile& file) {
  const auto text = xml.element(element);
  require<FormatError>(text.has_value(), file.name(), "has no", "<" + element + ">", "in its LIME record",
                       record + ": it is damaged, or no program with QIO wrote it; fetch it again");
  const auto value = parse_integer(*text);
  require<FormatError>(value.has_value(), file.name(), "has", "<" + element + ">" + printable(*text),
                       "in its LIME record", record + ":", "not an integer; it is damaged, fetch it again");
  return *value;
}

std::optional<Coord> extent_from_scidac(const XmlRecord& xml, const InputFile& file) {
  const std::string record = "scidac-private-file-xml";
  const std::string volfmt = xml.element("volfmt").value_or("0");
  require<FormatError>(volfmt == "0", file.name(), "is one part of several (volfmt", printable(volfmt), "in",
                       record + "):", "join them to a single file with QIO's tools");
  const auto dims = xml.element("dims");
  if (!dims) return std::nullopt;
  const std::vector<std::string> numbers = words(*dims);
  require<FormatError>(numbers.size() == 4, file.name(), "has", numbers.size(), "dimensions in its LIME record",
                       record + ",", "where a lattice has 4: give a file of one, or fetch it again");
  std::array<std::int64_t, 4> extent{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto value = parse_integer(numbers[mu]);
    require<FormatError>(value.has_value(), file.name(), "has <dims>" + printable(*dims), "in its LIME record",
                         record + ":", "not integers; it is damaged, fetch it again");
    extent[mu] = *value;
  }
  return checked_extent(extent, file.name(), "its LIME record " + record);
}

std::optional<int> bits_from_scidac(const XmlRecord& xml, const InputFile& file) {
  const auto precision = xml.element("precision");
  if (!precision) return std::nullopt;
  require<FormatError>(
      *precision == "F" || *precision == "D", file.name(), "has precision", in_quotes(*precision),
      "in its LIME record scidac-private-record-xml:", "it must be F or D; it is damaged, fetch it again");
  return *precision == "F" ? 32 : 64;
}

std::array<std::uint32_t, 2> sums_from_scidac(const XmlRecord& xml, const InputFile& file) {
  const std::vector<std::string> names = checksum_names(ChecksumKind::scidac);
  std::array<std::uint32_t, 2> sums;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string text = xml.element(names[i]).value_or("");
    const auto value = parse_hex(text);
    require<FormatError>(
        value.has_value(), file.name(), "has", in_quotes(text), "for", names[i],
        "in its LIME record scidac-checksum: not a 32-bit hexadecimal number; it is damaged, fetch it again");
    sums[i] = *value;
  }
  return sums;
}

}  // namespace kov::detail
