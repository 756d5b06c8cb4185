// SPDX-License-Identifier: MIT
//
// Writing the links of a configuration in any format: time slice by time slice on rank 0.
#pragma once

#include "kov/core/io/gauge/gauge_file.hpp"

#include <filesystem>
#include <functional>
#include <span>

namespace kov::detail {

/// Fills this rank's part of a time slice (local t), [z][y][x][mu][row][column][re, im].
using GiveSlice = std::function<void(int t, std::span<double> links)>;
/// write_gauge_file() with links that are made slice by slice.  verify(temporary name) is collective and throws when
/// what it reads there is not what was to be written: the file then never gets its name.
void write_gauge_slices(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                        const GiveSlice& give, const WriteOptions& options,
                        const std::function<void(const std::filesystem::path& written)>& verify);

}  // namespace kov::detail
