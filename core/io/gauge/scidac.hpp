// SPDX-License-Identifier: MIT
//
// The XML records that SciDAC files (QIO's) of any field have in common.
#pragma once

#include "kov/core/io/input_file.hpp"
#include "kov/core/io/xml.hpp"
#include "kov/core/lattice/geometry.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace kov::detail {

/// <?xml ...?>, with which every record begins.
std::string xml_head();
/// <name>content</name>
std::string xml_element(const std::string& name, const std::string& content);

/// scidac-private-file-xml of a single file.
std::string private_file_xml(const Coord& extent);
/// scidac-checksum.
std::string checksum_xml(const std::array<std::uint32_t, 2>& sums);

/// The integer in an element of the LIME record of this type; FormatError where there is none.
std::int64_t xml_integer(const XmlRecord& xml, const std::string& element, const std::string& record,
                         const InputFile& file);
/// The extents in scidac-private-file-xml, nothing where it has none.  FormatError for one part of several files, and
/// unless there are four dimensions.
std::optional<Coord> extent_from_scidac(const XmlRecord& xml, const InputFile& file);
/// The bits of a real number in scidac-private-record-xml, nothing where it has no precision.  FormatError unless that
/// is F or D.
std::optional<int> bits_from_scidac(const XmlRecord& xml, const InputFile& file);
/// The pair in scidac-checksum; FormatError where it is not there.
std::array<std::uint32_t, 2> sums_from_scidac(const XmlRecord& xml, const InputFile& file);

}  // namespace kov::detail
