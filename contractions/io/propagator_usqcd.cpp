// SPDX-License-Identifier: MIT
#include "kov/contractions/io/propagator_usqcd.hpp"

#include "kov/contractions/io/propagator_scidac.hpp"
#include "kov/core/io/text.hpp"

#include <array>
#include <utility>

namespace kov::detail {

namespace {

constexpr const char *twelve_sinks = "USQCD_DiracFermion_ScalarSource_TwelveSink",
                     *spinor_pairs = "USQCD_DiracFermion_Source_Sink_Pairs",
                     *scalar_pairs = "USQCD_DiracFermion_ScalarSource_Sink_Pairs";

/// From the number of a scalar source in one column to that in the next: both are times 1 in spin and colour.
constexpr int scalar_step = 13;

std::string column_name(int column) { return sentence("the column of spin", column / 3, "and colour", column % 3); }

/// The column of a solution, -1 for a source; manuals call its element usqcdPropInfo, QIO wrote usqcdInfo.
int column_of(const InputFile& file, const QioRecord& record) {
  constexpr const char* name = "scidac-record-xml";
  const auto xml = qio_xml(file, record.user);
  if (!xml || !(xml->element("usqcdPropInfo") || xml->element("usqcdInfo"))) return -1;
  const std::int64_t spin = xml_integer(*xml, "spin", name, file), color = xml_integer(*xml, "color", name, file);
  require<FormatError>(spin >= 0 && spin < 4 && color >= 0 && color < 3, file.name(), "has a column of spin", spin,
                       "and colour", color, ": it is damaged, or no propagator of quarks with three colours");
  return int(3 * spin + color);
}

/// The columns that a file has.
class ColumnsThere {
 public:
  void add(int column, const InputFile& file) {
    require<FormatError>(!std::exchange(there_[std::size_t(column)], true), file.name(), "has", column_name(column),
                         "twice: it is damaged, or joined from several files");
  }
  /// " a, b", empty where all are there.
  std::string missing() const {
    std::string names;
    for (int column = 0; column < 12; ++column)
      if (!there_[std::size_t(column)]) names += (names.empty() ? " " : ", ") + column_name(column);
    return names;
  }

 private:
  std::array<bool, 12> there_{};
};

void read_file_labels(const InputFile& file, const QioFile& found, PropagatorHeader& header) {
  const auto xml = qio_xml(file, found.user);
  if (!xml) return;
  if (const auto lines = xml->element("kovariantPropagator"))
    parse_label_lines(*lines, file.name(), header);
  else
    chroma_labels(*xml, header);
}

/// Complex numbers of a site of a source: 1 or 12.
int source_numbers(const InputFile& file, const QioRecord& record, PropagatorHeader& header) {
  const QioDescription found = qio_description(file, record);
  require<FormatError>(found.is_field, file.name(),
                       "has its source on a part of the lattice, which is not read: take the propagator without it");
  if (header.bits == 0) header.bits = found.bits;
  require<FormatError>(found.bits == header.bits, file.name(), "has sources of", header.bits, "and of", found.bits,
                       "bits: it is damaged, or joined from several files; fetch it again");
  const std::int64_t complex = header.bits / 4;
  require<FormatError>(found.site_bytes == complex || found.site_bytes == 12 * complex, file.name(),
                       "has a source with", found.site_bytes, "bytes a site, where a complex number has", complex,
                       "and a spinor", 12 * complex, ": it is damaged, or of other fields");
  return int(found.site_bytes / complex);
}

}  // namespace

void usqcd_propagator(PropagatorSource& source, const SharedInput& file, const QioFile& found) {
  const int bits = source.header.bits;
  const std::int64_t spinor_bytes = 12 * bits / 4;
  source.header.format = "USQCD";
  read_file_labels(*file, found, source.header);
  ColumnsThere there;
  for (const QioRecord& record : found.records) {
    const int column = column_of(*file, record);
    if (column < 0) continue;
    there.add(column, *file);
    const QioDescription description = qio_description(*file, record);
    require<FormatError>(description.is_field && description.bits == bits && description.site_bytes == spinor_bytes,
                         file->name(), "has", column_name(column), "with", description.site_bytes, "bytes a site in",
                         description.bits, "bits, and the last one with", spinor_bytes, "in", bits,
                         ": it is damaged, or joined from several files");
    source.parts.push_back(qio_part(file, record, source.header, column_elements(column), column_name(column)));
  }
  const std::string missing = there.missing();
  require<FormatError>(
      missing.empty(), file->name(), "has", source.parts.size(),
      "columns of a propagator where 12 make one, without" + missing + ": it was cut short, or is another field");
}

PropagatorSource usqcd_source(const SharedInput& file) {
  const QioFile found = qio_file(*file);
  const auto xml = qio_xml(*file, found.user);
  const std::string type = xml ? xml->element("type").value_or("") : "";
  const bool pairs = type == spinor_pairs || type == scalar_pairs;
  require<FormatError>(pairs || type == twelve_sinks, file->name(), "is of the type", in_quotes(type) + ",",
                       "and those that have sources are", std::string(twelve_sinks) + ",", spinor_pairs, "and",
                       scalar_pairs);
  PropagatorSource source{.header = {.format = "USQCD", .extent = found.extent, .bits = 0}, .parts = {}};
  read_file_labels(*file, found, source.header);
  const QioRecord* last = nullptr;
  int n_sources = 0;
  ColumnsThere there;
  for (const QioRecord& record : found.records) {
    const int column = column_of(*file, record);
    if (column < 0) {
      require<FormatError>(!last && (pairs || n_sources == 0), file->name(), "has two sources where", type,
                           pairs ? "has one before each column:" : "has one before all columns:",
                           "it is damaged, or joined from several files");
      last = &record;
      ++n_sources;
      continue;
    }
    there.add(column, *file);
    require<FormatError>(last != nullptr, file->name(), "has no source before", column_name(column) + ",", "where",
                         type, "has one: it is damaged, or was cut");
    const int n = source_numbers(*file, *last, source.header);
    require<FormatError>((n == 12) == (type == spinor_pairs), file->name(), "has a source of", n,
                         "complex numbers a site, which", type, "has not: it is damaged, or joined from several files");
    if (pairs) {
      std::vector<int> elements = n == 12 ? column_elements(column) : std::vector<int>{scalar_step * column};
      source.parts.push_back(
          qio_part(file, *last, source.header, std::move(elements), "the source of " + column_name(column)));
      last = nullptr;
    } else if (source.parts.empty()) {  // one for all columns
      PropagatorPart part = qio_part(file, *last, source.header, {0}, "the source");
      part.copies = 12;
      part.step = scalar_step;
      source.parts.push_back(std::move(part));
    }
  }
  const std::string missing = there.missing();
  require<FormatError>(missing.empty(), file->name(),
                       "has no source for all 12 columns of a propagator, without" + missing +
                           ": it was cut short, or is another field");
  require<FormatError>(!pairs || !last, file->name(),
                       "has a source behind the last column: it is damaged, or joined from several files");
  return source;
}

std::shared_ptr<QioWriter> usqcd_writer(const std::filesystem::path& path, const PropagatorHeader& header,
                                        bool scalar) {
  // Elements of QIO's XML do not hold others of their own name, such as <info>.
  const std::string labels = xml_element("kovariantPropagator", xml_escape(label_lines(header)));
  return std::make_shared<QioWriter>(
      path, header.extent,
      xml_head() + xml_element("usqcdPropFile", xml_element("version", "1.0") +
                                                    xml_element("type", scalar ? twelve_sinks : spinor_pairs) +
                                                    xml_element("info", labels)));
}

std::string usqcd_source_xml() {
  return xml_head() +
         xml_element("usqcdSourceInfo", xml_element("version", "1.0") + xml_element("info", "source of Kovariant"));
}

std::string usqcd_column_xml(int column) {
  return xml_head() +
         xml_element("usqcdPropInfo", xml_element("version", "1.0") + xml_element("spin", std::to_string(column / 3)) +
                                          xml_element("color", std::to_string(column % 3)) +
                                          xml_element("info", "column of Kovariant"));
}

}  // namespace kov::detail
