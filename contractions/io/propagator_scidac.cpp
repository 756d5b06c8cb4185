// SPDX-License-Identifier: MIT
#include "kov/contractions/io/propagator_scidac.hpp"

#include "kov/core/io/gauge/gauge_source.hpp"
#include "kov/core/io/gauge/scidac.hpp"
#include "kov/core/io/lime.hpp"
#include "kov/core/io/text.hpp"

#include <numbers>

namespace kov::detail {

namespace {

/// Chroma puts all that it knows of the source and the configuration into one record.
constexpr std::uint64_t longest_record = 1 << 20;
constexpr const char *private_record = "scidac-private-record-xml", *user_record = "scidac-record-xml",
                     *data_record = "scidac-binary-data";

std::optional<XmlRecord> xml_of(const InputFile& file, const LimeRecord* record) {
  if (!record) return std::nullopt;
  return XmlRecord(lime_text(file, *record, longest_record));
}

const LimeRecord* first_of(const std::vector<LimeRecord>& records, std::string_view type) {
  for (const LimeRecord& record : records)
    if (record.type == type) return &record;
  return nullptr;
}

/// What QIO calls a record: descriptions, data and checksum.
struct QioRecord {
  const LimeRecord *description = nullptr, *user = nullptr, *data = nullptr, *checksum = nullptr;
};

std::vector<QioRecord> qio_records(const std::vector<LimeRecord>& all) {
  std::vector<QioRecord> records;
  QioRecord next;
  for (const LimeRecord& record : all) {
    if (record.type == private_record) next = {.description = &record};
    if (record.type == user_record) next.user = &record;
    if (record.type == data_record) {
      next.data = &record;
      records.push_back(next);
      next = {};
    }
    if (record.type == "scidac-checksum" && !records.empty() && !records.back().checksum)
      records.back().checksum = &record;
  }
  return records;
}

/// The part of a record with these numbers at every site.
PropagatorPart part_of(const SharedInput& file, const QioRecord& record, const PropagatorHeader& header,
                       std::vector<int> elements, const std::string& name) {
  const std::size_t site = elements.size() * 2 * std::size_t(header.bits / 8);
  require_data(header.extent, site, record.data->data_offset, record.data->length, DataLength::exactly, file->name());
  const Coord extent = header.extent;
  PropagatorPart part{.elements = std::move(elements), .read = {}, .sums = {}, .name = name};
  part.read = [file, site, extent, begin = record.data->data_offset](const Coord& start, std::int64_t,
                                                                     std::span<std::byte> bytes) {
    file->read(begin + std::uint64_t(lexicographic(start, extent)) * site, bytes);
  };
  if (const auto xml = xml_of(*file, record.checksum)) part.sums = sums_from_scidac(*xml, *file);
  return part;
}

/// The datatype, precision and size of a record's numbers.
struct Description {
  std::string datatype;
  int bits;
  std::int64_t site_bytes;
};

Description description_of(const InputFile& file, const QioRecord& record) {
  const auto xml = xml_of(file, record.description);
  require<FormatError>(xml.has_value(), file.name(), "has data without a LIME record", private_record,
                       "before them: it is damaged, or no program with QIO wrote it");
  const auto bits = bits_from_scidac(*xml, file);
  require<FormatError>(bits.has_value(), file.name(), "has no <precision> in its LIME record", private_record,
                       ": it is damaged, or no program with QIO wrote it");
  const std::int64_t size = xml_integer(*xml, "typesize", private_record, file),
                     count = xml_integer(*xml, "datacount", private_record, file);
  require<FormatError>(size > 0 && count > 0 && size <= 1 << 20 && count <= 1 << 10, file.name(), "holds", count,
                       "objects of", size, "bytes a site by its LIME record", std::string(private_record) + ",",
                       "which is no propagator: give a file of one, or fetch it again if it should be one");
  return {xml->element("datatype").value_or(""), *bits, size * count};
}

std::vector<double> numbers_in(const XmlRecord& xml, const char* element) {
  std::vector<double> numbers;
  for (const std::string& word : words(xml.element(element).value_or("")))
    if (const auto value = parse_real(word)) numbers.push_back(*value);
  return numbers;
}

/// What is of use in a record of Chroma's.
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

void read_labels(const InputFile& file, const LimeRecord* record, PropagatorHeader& header) {
  const auto xml = xml_of(file, record);
  if (!xml) return;
  if (xml->element("kovariantPropagator"))
    parse_label_lines(xml->element("info").value_or(""), file.name(), header);
  else
    chroma_labels(*xml, header);
}

void add_sums(PropagatorSource& source) {
  for (const PropagatorPart& part : source.parts)
    if (part.sums) source.header.checksums.push_back(sums_text(*part.sums));
}

/// Whose order the numbers are in.
PropagatorOrder order_of(const InputFile& file, const Description& found, const ReadPropagatorOptions& options) {
  if (found.datatype == "Lattice") return PropagatorOrder::qdpxx;
  require(options.order.has_value(), file.name(), "has the datatype", in_quotes(found.datatype) + ",",
          "which programs use for two orders of spin and colour: say which by ReadPropagatorOptions::order, qdpxx "
          "(Chroma) or qla (QDP/C, Qlua); the command kovariant takes files with the datatype Lattice, which "
          "write_propagator() makes of it");
  return *options.order;
}

/// One record with all numbers.
void one_record(PropagatorSource& source, const SharedInput& file, const QioRecord& record, const Description& found,
                const ReadPropagatorOptions& options) {
  source.header.format = "SciDAC";
  read_labels(*file, record.user, source.header);
  source.parts.push_back(
      part_of(file, record, source.header, propagator_elements(order_of(*file, found, options)), ""));
}

/// A record of spinors for each spin and colour of the source, as USQCD agreed upon.
void records_of_columns(PropagatorSource& source, const SharedInput& file, const std::vector<QioRecord>& records,
                        std::size_t spinor_bytes) {
  source.header.format = "USQCD";
  std::array<bool, 12> there{};
  for (const QioRecord& record : records) {
    const auto xml = xml_of(*file, record.user);
    const bool solution = xml && (xml->element("usqcdPropInfo") || xml->element("usqcdInfo"));
    if (!solution) continue;  // a source
    const std::int64_t spin = xml_integer(*xml, "spin", user_record, *file),
                       color = xml_integer(*xml, "color", user_record, *file);
    require<FormatError>(spin >= 0 && spin < 4 && color >= 0 && color < 3, file->name(), "has a column of spin", spin,
                         "and colour", color, ": it is damaged, or no propagator of quarks with three colours");
    const std::size_t column = std::size_t(3 * spin + color);
    require<FormatError>(!there[column], file->name(), "has the column of spin", spin, "and colour", color,
                         "twice: it is damaged");
    there[column] = true;
    const Description found = description_of(*file, record);
    require<FormatError>(found.bits == source.header.bits && found.site_bytes == std::int64_t(spinor_bytes),
                         file->name(), "has columns of different sizes: it is damaged");
    source.parts.push_back(part_of(file, record, source.header, column_elements(int(column)),
                                   sentence("the column of spin", spin, "and colour", color)));
  }
  require<FormatError>(source.parts.size() == 12, file->name(), "has", source.parts.size(),
                       "columns of a propagator where 12 make one: it was cut short, or is another field");
}

/// The records with data, and the extents.
std::vector<QioRecord> data_of(PropagatorHeader& header, const InputFile& file, const std::vector<LimeRecord>& all) {
  std::vector<QioRecord> records = qio_records(all);
  require<FormatError>(!records.empty(), file.name(), "is a LIME file without", data_record,
                       ", so it holds no propagator");
  const auto file_xml = xml_of(file, first_of(all, "scidac-private-file-xml"));
  const auto extent = file_xml ? extent_from_scidac(*file_xml, file) : std::nullopt;
  require<FormatError>(extent.has_value(), file.name(), "has no extents in a LIME record scidac-private-file-xml:",
                       "it is damaged, or no program with QIO wrote it");
  header.extent = *extent;
  return records;
}

}  // namespace

PropagatorSource scidac_propagator(const SharedInput& file, const ReadPropagatorOptions& options) {
  PropagatorSource source;
  const std::vector<LimeRecord> all = lime_records(*file);
  const std::vector<QioRecord> records = data_of(source.header, *file, all);
  const QioRecord& last = records.back();
  const Description found = description_of(*file, last);
  source.header.bits = found.bits;
  const std::size_t whole = propagator_bytes(found.bits);
  if (std::size_t(found.site_bytes) == whole) {
    require<FormatError>(records.size() == 1, file->name(), "has", records.size(),
                         "records of data where a propagator has one: write each record to a file of its own");
    one_record(source, file, last, found, options);
  } else {
    require<FormatError>(std::size_t(found.site_bytes) * 12 == whole, file->name(), "holds", found.site_bytes,
                         "bytes a site of datatype", in_quotes(found.datatype) + ",", "and a propagator has", whole,
                         "in one record or", whole / 12,
                         "in each of twelve: it is another field, give a file of a propagator");
    records_of_columns(source, file, records, whole / 12);
  }
  add_sums(source);
  return source;
}

PropagatorSource scidac_spinor(const SharedInput& file) {
  PropagatorSource source;
  const std::vector<LimeRecord> all = lime_records(*file);
  const std::vector<QioRecord> records = data_of(source.header, *file, all);
  const Description found = description_of(*file, records.front());
  const std::size_t spinor_bytes = propagator_bytes(found.bits) / 12;
  require<FormatError>(records.size() == 1 && std::size_t(found.site_bytes) == spinor_bytes, file->name(), "has",
                       records.size(), "records, the first with", found.site_bytes,
                       "bytes a site, where a column of a propagator is one of", spinor_bytes,
                       ": give the file of a column, or remove this one");
  source.header.format = "SciDAC";
  source.header.bits = found.bits;
  read_labels(*file, records.front().user, source.header);
  source.parts.push_back(part_of(file, records.front(), source.header, column_elements(), ""));
  add_sums(source);
  return source;
}

namespace {

/// n: complex numbers of a site.
std::string propagator_record_xml(const PropagatorHeader& header, int n) {
  const bool single = header.bits == 32;
  const std::string spinor = single ? "USQCD_F3_DiracFermion" : "USQCD_D3_DiracFermion";
  return xml_head() + xml_element("scidacRecord", xml_element("version", "1.1") + xml_element("recordtype", "0") +
                                                      xml_element("datatype", n == 12 ? spinor : "Lattice") +
                                                      xml_element("precision", single ? "F" : "D") +
                                                      xml_element("colors", "3") + xml_element("spins", "4") +
                                                      xml_element("typesize", std::to_string(n * header.bits / 4)) +
                                                      xml_element("datacount", "1"));
}

class ScidacPropagatorSink : public PropagatorSink {
 public:
  /// n: complex numbers of a site.
  ScidacPropagatorSink(const std::filesystem::path& path, const PropagatorHeader& header, int n)
      : file_(path), lime_(file_) {
    using enum LimeWriter::Position;
    const std::string labels =
        xml_head() + xml_element("kovariantPropagator",
                                 xml_element("version", "1") + xml_element("info", xml_escape(label_lines(header))));
    require(labels.size() < longest_record, "labels and metadata for", path.string(), "are", labels.size(),
            "bytes of XML, but only", longest_record, "fit: shorten them, or write HDF5");
    lime_.text("scidac-private-file-xml", first, private_file_xml(header.extent));
    lime_.text("scidac-file-xml", last, xml_head() + xml_element("title", "Propagator"));
    lime_.text(private_record, first, propagator_record_xml(header, n));
    lime_.text(user_record, middle, labels);
    lime_.begin(data_record, middle, std::uint64_t(volume(header.extent)) * std::uint64_t(n * header.bits / 4));
  }

  void begin_slice(std::uint64_t bytes) override {
    lime_.data(bytes, [&](std::uint64_t start) { begin_ = start; });
  }
  void write(std::uint64_t offset, std::span<std::byte> bytes) override { file_.write_at(begin_ + offset, bytes); }
  void finish(const std::array<std::uint32_t, 2>& sums) override {
    lime_.end();
    lime_.text("scidac-checksum", LimeWriter::Position::last, checksum_xml(sums));
  }
  const std::filesystem::path& temporary() const override { return file_.temporary(); }
  void commit() override { file_.commit(); }

 private:
  OutputFile file_;
  LimeWriter lime_;
  std::uint64_t begin_ = 0;
};

}  // namespace

std::unique_ptr<PropagatorSink> scidac_propagator_sink(const std::filesystem::path& path,
                                                       const PropagatorHeader& header) {
  return std::make_unique<ScidacPropagatorSink>(path, header, propagator_complex);
}

std::unique_ptr<PropagatorSink> scidac_spinor_sink(const std::filesystem::path& path, const PropagatorHeader& header) {
  return std::make_unique<ScidacPropagatorSink>(path, header, 12);
}

}  // namespace kov::detail
