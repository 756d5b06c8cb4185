// SPDX-License-Identifier: MIT
//
// What the formats of propagators tell the common reader and writer (propagator_io.cpp): header, where numbers are and
// in which order, and the checksums that they must have.
#pragma once

#include "kov/contractions/io/propagator_io.hpp"
#include "kov/core/io/checksum.hpp"
#include "kov/core/io/input_file.hpp"

#include <array>
#include <functional>
#include <memory>
#include <span>

namespace kov::detail {

/// Complex and real numbers of a site.
inline constexpr int propagator_complex = 144, propagator_reals = 288;

/// The index [3 * source spin + source colour][3 * sink spin + sink colour] in our fields.
constexpr int propagator_element(int sink_spin, int sink_color, int source_spin, int source_color) {
  return 12 * (3 * source_spin + source_color) + 3 * sink_spin + sink_color;
}
/// Entry i: where number i of a site in this order is in our fields.
std::vector<int> propagator_elements(PropagatorOrder order);
/// The same of one column, the first by default.
std::vector<int> column_elements(int column = 0);

/// Bytes of n sites that follow one another in the order of the whole lattice, from the global coordinate start on, in
/// big-endian order.  Threads may call it at the same time.
using ReadSites = std::function<void(const Coord& start, std::int64_t n, std::span<std::byte> bytes)>;

/// Numbers that lie together in a file, site by site in lexicographic order: all of a propagator, or a column.
struct PropagatorPart {
  /// Where each number of a site belongs.
  std::vector<int> elements;
  ReadSites read;
  std::optional<std::array<std::uint32_t, 2>> sums = {};
  /// For messages: "", "the column of spin 0 and colour 2".
  std::string name = {};
  /// Each number belongs to this many places, `step` elements apart: of a source that all columns share.
  int copies = 1, step = 0;
};

/// A recognised file.
struct PropagatorSource {
  PropagatorHeader header;
  std::vector<PropagatorPart> parts;
};

using SharedInput = std::shared_ptr<const InputFile>;

/// Recognises the format and opens the file.  Collective.
PropagatorSource open_propagator(const Comm& comm, const std::filesystem::path& path,
                                 const ReadPropagatorOptions& options);

/// Where the common writer puts time slices: rank 0 only, t = 0, 1, ...
class PropagatorSink {
 public:
  virtual ~PropagatorSink() = default;
  /// Makes room for a slice of this many bytes.
  virtual void begin_slice(std::uint64_t bytes) = 0;
  /// Bytes in big-endian order, which may be changed, at their offset in that slice.  Threads may call it at the same
  /// time.
  virtual void write(std::uint64_t offset, std::span<std::byte> bytes) = 0;
  /// Everything but the name is written and closed.
  virtual void finish(const std::array<std::uint32_t, 2>& sums) = 0;
  virtual const std::filesystem::path& temporary() const = 0;
  virtual void commit() = 0;
};

/// Labels and metadata as lines "real kappa = 0.15", for files that hold text alone; the metadata are "metadata ...".
std::string label_lines(const PropagatorHeader& header);
/// Throws InputError unless the bits are 32 or 64 and every format can hold the labels.
void require_writable(const PropagatorHeader& header);
/// The inverse of label_lines().  Throws FormatError, with the file's name.
void parse_label_lines(const std::string& text, const std::string& file, PropagatorHeader& header);

/// "suma sumb", hexadecimal.
std::string sums_text(const std::array<std::uint32_t, 2>& sums);

/// The bytes of a site.
inline std::size_t propagator_bytes(int bits) { return std::size_t(propagator_reals * bits / 8); }

}  // namespace kov::detail
