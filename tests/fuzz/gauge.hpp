// SPDX-License-Identifier: MIT
//
// Fuzz targets of gauge configurations: small files and how they are read.
#pragma once

#include "kov/core/io/gauge/gauge_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

inline const Coord small_extent{2, 2, 2, 4};

/// The bytes of a file that write_gauge_file() made.
std::string written_gauge(const WriteOptions& options);

/// Header and links; files without extents get small_extent.
void read_gauge_input(const std::string& input);
void read_gauge_input(const std::filesystem::path& file);

}  // namespace kov::fuzz
