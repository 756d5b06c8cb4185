// SPDX-License-Identifier: MIT
//
// QIO's files, record by record: what propagators, columns and their sources in SciDAC and USQCD files have in common.
#pragma once

#include "kov/contractions/io/propagator_file.hpp"
#include "kov/core/io/gauge/scidac.hpp"
#include "kov/core/io/lime.hpp"

namespace kov::detail {

/// What QIO calls a record: descriptions, data and checksum.
struct QioRecord {
  std::optional<LimeRecord> description, user, data, checksum;
};

/// The records with data; the rest of the file.
struct QioFile {
  Coord extent{};
  std::optional<LimeRecord> user;  // of the whole file
  std::vector<QioRecord> records;
};

/// Throws FormatError for a file that has no data or no extents.
QioFile qio_file(const InputFile& file);

/// The datatype, precision and size of a record's numbers.
struct QioDescription {
  std::string datatype;
  int bits;
  std::int64_t site_bytes;
  /// Whether it has numbers at all sites, as opposed to a time slice, say.
  bool is_field;
};

/// From scidac-private-record-xml; throws FormatError where something is missing or cannot be.
QioDescription qio_description(const InputFile& file, const QioRecord& record);

/// Nothing where there is no such record; longer ones are cut at qio_longest_xml bytes.
std::optional<XmlRecord> qio_xml(const InputFile& file, const std::optional<LimeRecord>& record);

/// Chroma puts all that it knows of the source and the configuration into one record.
inline constexpr std::uint64_t qio_longest_xml = 1 << 20;

/// The part of a propagator that has a record's numbers, header.bits each, at every site; name: as in PropagatorPart.
/// Throws FormatError unless the record has as many.
PropagatorPart qio_part(const SharedInput& file, const QioRecord& record, const PropagatorHeader& header,
                        std::vector<int> elements, const std::string& name);

/// Writes a file record by record, all numbers of a site together; rank 0 only.
class QioWriter {
 public:
  /// user_xml: scidac-file-xml.
  QioWriter(const std::filesystem::path& path, const Coord& extent, const std::string& user_xml);

  /// n: complex numbers of a site, 1, 12 (a spinor) or 144.  user_xml: scidac-record-xml.
  void begin_record(int n, int bits, const std::string& user_xml);
  void begin_slice(std::uint64_t bytes);
  /// As in PropagatorSink.
  void write(std::uint64_t offset, std::span<std::byte> bytes) { file_.write_at(begin_ + offset, bytes); }
  void end_record(const std::array<std::uint32_t, 2>& sums);

  const std::filesystem::path& temporary() const { return file_.temporary(); }
  void commit() { file_.commit(); }

 private:
  OutputFile file_;
  LimeWriter lime_;
  Coord extent_;
  std::uint64_t begin_ = 0;
};

/// The record that the writer has begun.  commit() is that of the file.
std::unique_ptr<PropagatorSink> qio_record_sink(std::shared_ptr<QioWriter> file);

}  // namespace kov::detail
