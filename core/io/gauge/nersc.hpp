// SPDX-License-Identifier: MIT
//
// NERSC archive format (also QCDOC, Columbia, Grid): a text header from BEGIN_HEADER to END_HEADER with KEY = VALUE
// lines, then the sites in lexicographic order with two or three rows of each matrix.
#pragma once

#include "kov/core/io/gauge/gauge_sink.hpp"
#include "kov/core/io/gauge/gauge_source.hpp"

#include <filesystem>
#include <memory>

namespace kov::detail {

/// Whether the file is of this format: looks at its first bytes.
bool is_nersc(const InputFile& file);
/// Reads the header.  Throws FormatError when it is damaged.
GaugeSource nersc_source(const SharedFile& file);
/// Begins a file; it gets its name with commit().
std::unique_ptr<GaugeSink> nersc_sink(const std::filesystem::path& path, const Coord& extent,
                                      const WriteOptions& options);

}  // namespace kov::detail
