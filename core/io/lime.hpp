// SPDX-License-Identifier: MIT
//
// LIME, the record container of SciDAC and ILDG files.  A record is a 144-byte big-endian header (magic 0x456789ab,
// version 1, message-begin and -end bits, 64-bit length, 128 bytes of type name), the data, and zeros up to a multiple
// of 8 bytes.
#pragma once

#include "kov/core/io/atomic_file.hpp"
#include "kov/core/io/input_file.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kov {

/// Whether the file begins with a LIME record.
bool is_lime(const InputFile& file);

/// Where one record is.
struct LimeRecord {
  /// "ildg-binary-data", "scidac-checksum", ...
  std::string type;
  /// In the file, and of the data alone, in bytes.
  std::uint64_t header_offset, data_offset, length;
  /// Whether a message begins or ends with it.
  bool message_begin, message_end;
};

/// All records in their order.  Reads headers only.  Throws FormatError, with the offset, when a header is damaged, a
/// record reaches beyond the end of the file, or there are absurdly many (more than 65536).
std::vector<LimeRecord> lime_records(const InputFile& file);

/// A record's data as text without trailing NULs; cut at `longest` bytes.
std::string lime_text(const InputFile& file, const LimeRecord& record, std::uint64_t longest = 1 << 16);

/// Appends records to a file.
class LimeWriter {
 public:
  explicit LimeWriter(OutputFile& file) : file_(file) {}

  /// Of a record in its message.
  enum class Position { only, first, middle, last };

  /// A whole record; XML and other text ends with a NUL byte, which is added and counted as QIO does.
  void text(std::string_view type, Position position, std::string_view content);

  /// A record in pieces: begin, any number of data, end.
  void begin(std::string_view type, Position position, std::uint64_t length);
  void data(std::span<const std::byte> bytes);
  /// The same for bytes that `write` puts into the file itself, from the offset that it is given on.
  void data(std::uint64_t length, const std::function<void(std::uint64_t offset)>& write);
  /// Throws InputError when the pieces do not add up to the length that begin() was given.
  void end();

 private:
  OutputFile& file_;
  std::uint64_t remaining_ = 0, length_ = 0;
};

}  // namespace kov
