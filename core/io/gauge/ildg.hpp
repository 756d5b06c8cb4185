// SPDX-License-Identifier: MIT
//
// Gauge configurations in LIME: ILDG (record ildg-binary-data) and SciDAC (scidac-binary-data).  Big endian, sites in
// lexicographic order.  Extents and precision come from ildg-format, else from QIO's private XML, else from the caller
// and the record's length.
#pragma once

#include "kov/core/io/gauge/gauge_sink.hpp"
#include "kov/core/io/gauge/gauge_source.hpp"

#include <filesystem>
#include <memory>

namespace kov::detail {

/// Reads the header of a LIME file.  Throws FormatError when it is damaged or has no configuration, InputError when
/// extents are missing.
GaugeSource ildg_source(const SharedFile& file, const ReadOptions& options);
/// Begins a file; it gets its name with commit().
std::unique_ptr<GaugeSink> ildg_sink(const std::filesystem::path& path, const Coord& extent,
                                     const WriteOptions& options);

}  // namespace kov::detail
