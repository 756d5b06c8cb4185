// SPDX-License-Identifier: MIT
#include "kov/contractions/io/propagator_scidac.hpp"

#include "kov/contractions/io/propagator_usqcd.hpp"
#include "kov/contractions/io/qio_file.hpp"
#include "kov/core/io/text.hpp"

#include <numbers>

namespace kov::detail {

namespace {

std::vector<double> numbers_in(const XmlRecord& xml, const char* element) {
  std::vector<double> numbers;
  for (const std::string& word : words(xml.element(element).value_or("")))
    if (const auto value = parse_real(word)) numbers.push_back(*value);
  return numbers;
}

void read_labels(const InputFile& file, const std::optional<LimeRecord>& record, PropagatorHeader& header) {
  const auto xml = qio_xml(file, record);
  if (!xml) return;
  if (xml->element("kovariantPropagator"))
    parse_label_lines(xml->element("info").value_or(""), file.name(), header);
  else
    chroma_labels(*xml, header);
}

/// Whose order the numbers are in.
PropagatorOrder order_of(const InputFile& file, const QioDescription& found, const ReadPropagatorOptions& options) {
  if (found.datatype == "Lattice") return PropagatorOrder::qdpxx;
  require(options.order.has_value(), file.name(), "has the datatype", in_quotes(found.datatype) + ",",
          "which programs use for two orders of spin and colour: say which by ReadPropagatorOptions::order, qdpxx "
          "(Chroma) or qla (QDP/C, Qlua); the command kovariant takes files with the datatype Lattice, which "
          "write_propagator() makes of it");
  return *options.order;
}

/// One record with all numbers.
void one_record(PropagatorSource& source, const SharedInput& file, const QioRecord& record, const QioDescription& found,
                const ReadPropagatorOptions& options) {
  source.header.format = "SciDAC";
  read_labels(*file, record.user, source.header);
  source.parts.push_back(
      qio_part(file, record, source.header, propagator_elements(order_of(*file, found, options)), ""));
}

void add_sums(PropagatorSource& source) {
  for (const PropagatorPart& part : source.parts)
    if (part.sums) source.header.checksums.push_back(sums_text(*part.sums));
}

/// n: complex numbers of a site.
std::unique_ptr<PropagatorSink> one_record_sink(const std::filesystem::path& path, const PropagatorHeader& header,
                                                int n) {
  auto file = std::make_shared<QioWriter>(path, header.extent, xml_head() + xml_element("title", "Propagator"));
  file->begin_record(
      n, header.bits,
      xml_head() + xml_element("kovariantPropagator",
                               xml_element("version", "1") + xml_element("info", xml_escape(label_lines(header)))));
  return qio_record_sink(file);
}

}  // namespace

void chroma_labels(const XmlRecord& xml, PropagatorHeader& header) {
  const std::vector<double> origin = numbers_in(xml, "t_srce"), boundary = numbers_in(xml, "boundary");
  header.has_origin = origin.size() == 4;
  for (std::size_t mu = 0; mu < 4 && header.has_origin; ++mu)
    header.has_origin = origin[mu] >= 0 && origin[mu] < header.extent[mu];
  for (std::size_t mu = 0; mu < 4 && header.has_origin; ++mu) header.labels.origin[mu] = int(origin[mu]);
  header.has_boundary = boundary.size() == 4;
  for (std::size_t mu = 0; mu < 4 && header.has_boundary; ++mu)
    header.labels.boundary.angle[mu] = boundary[mu] < 0 ? std::numbers::pi : 0;
  for (const auto& [element, label] : {std::pair("Mass", "mass"), std::pair("Kappa", "kappa")})
    if (const auto value = numbers_in(xml, element); value.size() == 1) header.labels.others[label] = value[0];
}

PropagatorSource scidac_propagator(const SharedInput& file, const ReadPropagatorOptions& options) {
  PropagatorSource source;
  const QioFile found = qio_file(*file);
  source.header.extent = found.extent;
  const QioRecord& last = found.records.back();
  const QioDescription description = qio_description(*file, last);
  source.header.bits = description.bits;
  const std::size_t whole = propagator_bytes(description.bits);
  if (std::size_t(description.site_bytes) == whole) {
    require<FormatError>(found.records.size() == 1, file->name(), "has", found.records.size(),
                         "records of data where a propagator has one: write each record to a file of its own");
    one_record(source, file, last, description, options);
  } else {
    require<FormatError>(std::size_t(description.site_bytes) * 12 == whole, file->name(), "holds",
                         description.site_bytes, "bytes a site of datatype", in_quotes(description.datatype) + ",",
                         "and a propagator has", whole, "in one record or", whole / 12,
                         "in each of twelve: it is another field, give a file of a propagator");
    usqcd_propagator(source, file, found);
  }
  add_sums(source);
  return source;
}

PropagatorSource scidac_spinor(const SharedInput& file) {
  PropagatorSource source;
  const QioFile found = qio_file(*file);
  const QioRecord& record = found.records.front();
  const QioDescription description = qio_description(*file, record);
  const std::size_t spinor_bytes = propagator_bytes(description.bits) / 12;
  require<FormatError>(found.records.size() == 1 && std::size_t(description.site_bytes) == spinor_bytes, file->name(),
                       "has", found.records.size(), "records, the first with", description.site_bytes,
                       "bytes a site, where a column of a propagator is one of", spinor_bytes,
                       ": give the file of a column, or remove this one");
  source.header.extent = found.extent;
  source.header.format = "SciDAC";
  source.header.bits = description.bits;
  read_labels(*file, record.user, source.header);
  source.parts.push_back(qio_part(file, record, source.header, column_elements(), ""));
  add_sums(source);
  return source;
}

std::unique_ptr<PropagatorSink> scidac_propagator_sink(const std::filesystem::path& path,
                                                       const PropagatorHeader& header) {
  return one_record_sink(path, header, propagator_complex);
}

std::unique_ptr<PropagatorSink> scidac_spinor_sink(const std::filesystem::path& path, const PropagatorHeader& header) {
  return one_record_sink(path, header, 12);
}

}  // namespace kov::detail
