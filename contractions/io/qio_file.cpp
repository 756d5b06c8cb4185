// SPDX-License-Identifier: MIT
#include "kov/contractions/io/qio_file.hpp"

#include "kov/core/io/gauge/gauge_source.hpp"
#include "kov/core/io/text.hpp"

namespace kov::detail {

namespace {

constexpr const char *private_record = "scidac-private-record-xml", *data_record = "scidac-binary-data";

std::optional<LimeRecord> first_of(const std::vector<LimeRecord>& records, std::string_view type) {
  for (const LimeRecord& record : records)
    if (record.type == type) return record;
  return std::nullopt;
}

std::vector<QioRecord> records_with_data(const std::vector<LimeRecord>& all) {
  std::vector<QioRecord> records;
  QioRecord next;
  for (const LimeRecord& record : all) {
    if (record.type == private_record) next = {.description = record, .user = {}, .data = {}, .checksum = {}};
    if (record.type == "scidac-record-xml") next.user = record;
    if (record.type == data_record) {
      next.data = record;
      records.push_back(next);
      next = {};
    }
    if (record.type == "scidac-checksum" && !records.empty() && !records.back().checksum)
      records.back().checksum = record;
  }
  return records;
}

/// Readers go by the bytes of a site: USQCD's name of the type of complex fields is not settled, RBC-UKQCD's CPS calls
/// it USQCD_D3_Complex, MILC QLA_F_Complex; the 3 is the number of colours, which such a field has none of.
std::string record_xml(int n, int bits) {
  const std::string precision = bits == 32 ? "F" : "D";
  const std::string type = n == 1    ? "USQCD_" + precision + "_Complex"
                           : n == 12 ? "USQCD_" + precision + "3_DiracFermion"
                                     : "Lattice";
  const std::string indices = n == 1 ? "" : xml_element("colors", "3") + xml_element("spins", "4");
  return xml_head() +
         xml_element("scidacRecord", xml_element("version", "1.1") + xml_element("recordtype", "0") +
                                         xml_element("datatype", type) + xml_element("precision", precision) + indices +
                                         xml_element("typesize", std::to_string(n * bits / 4)) +
                                         xml_element("datacount", "1"));
}

class QioRecordSink : public PropagatorSink {
 public:
  explicit QioRecordSink(std::shared_ptr<QioWriter> file) : file_(std::move(file)) {}

  void begin_slice(std::uint64_t bytes) override { file_->begin_slice(bytes); }
  void write(std::uint64_t offset, std::span<std::byte> bytes) override { file_->write(offset, bytes); }
  void finish(const std::array<std::uint32_t, 2>& sums) override { file_->end_record(sums); }
  const std::filesystem::path& temporary() const override { return file_->temporary(); }
  void commit() override { file_->commit(); }

 private:
  std::shared_ptr<QioWriter> file_;
};

}  // namespace

QioFile qio_file(const InputFile& file) {
  const std::vector<LimeRecord> all = lime_records(file);
  QioFile found{.extent = {}, .user = first_of(all, "scidac-file-xml"), .records = records_with_data(all)};
  require<FormatError>(!found.records.empty(), file.name(), "is a LIME file without", data_record,
                       ", so it holds no propagator");
  const auto xml = qio_xml(file, first_of(all, "scidac-private-file-xml"));
  const auto extent = xml ? extent_from_scidac(*xml, file) : std::nullopt;
  require<FormatError>(extent.has_value(), file.name(), "has no extents in a LIME record scidac-private-file-xml:",
                       "it is damaged, or no program with QIO wrote it");
  found.extent = *extent;
  return found;
}

std::optional<XmlRecord> qio_xml(const InputFile& file, const std::optional<LimeRecord>& record) {
  if (!record) return std::nullopt;
  return XmlRecord(lime_text(file, *record, qio_longest_xml));
}

QioDescription qio_description(const InputFile& file, const QioRecord& record) {
  const auto xml = qio_xml(file, record.description);
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
  return {xml->element("datatype").value_or(""), *bits, size * count, xml->element("recordtype").value_or("0") == "0"};
}

PropagatorPart qio_part(const SharedInput& file, const QioRecord& record, const PropagatorHeader& header,
                        std::vector<int> elements, const std::string& name) {
  const std::size_t site = elements.size() * 2 * std::size_t(header.bits / 8);
  require_data(header.extent, site, record.data->data_offset, record.data->length, DataLength::exactly, file->name());
  const Coord extent = header.extent;
  PropagatorPart part{.elements = std::move(elements), .read = {}, .sums = {}, .name = name};
  part.read = [file, site, extent, begin = record.data->data_offset](const Coord& start, std::int64_t,
                                                                     std::span<std::byte> bytes) {
    file->read(begin + std::uint64_t(lexicographic(start, extent)) * site, bytes);
  };
  if (const auto xml = qio_xml(*file, record.checksum)) part.sums = sums_from_scidac(*xml, *file);
  return part;
}

QioWriter::QioWriter(const std::filesystem::path& path, const Coord& extent, const std::string& user_xml)
    : file_(path), lime_(file_), extent_(extent) {
  using enum LimeWriter::Position;
  require(user_xml.size() < qio_longest_xml, "labels and metadata for", path.string(), "are", user_xml.size(),
          "bytes of XML, but only", qio_longest_xml, "fit: shorten them, or write HDF5");
  lime_.text("scidac-private-file-xml", first, private_file_xml(extent));
  lime_.text("scidac-file-xml", last, user_xml);
}

void QioWriter::begin_record(int n, int bits, const std::string& user_xml) {
  using enum LimeWriter::Position;
  require(user_xml.size() < qio_longest_xml, "labels and metadata for", file_.target().string(), "are", user_xml.size(),
          "bytes of XML, but only", qio_longest_xml, "fit: shorten them, or write HDF5");
  lime_.text(private_record, first, record_xml(n, bits));
  lime_.text("scidac-record-xml", middle, user_xml);
  lime_.begin(data_record, middle, std::uint64_t(volume(extent_)) * std::uint64_t(n * bits / 4));
}

void QioWriter::begin_slice(std::uint64_t bytes) {
  lime_.data(bytes, [&](std::uint64_t start) { begin_ = start; });
}

void QioWriter::end_record(const std::array<std::uint32_t, 2>& sums) {
  lime_.end();
  lime_.text("scidac-checksum", LimeWriter::Position::last, checksum_xml(sums));
}

std::unique_ptr<PropagatorSink> qio_record_sink(std::shared_ptr<QioWriter> file) {
  return std::make_unique<QioRecordSink>(std::move(file));
}

}  // namespace kov::detail
