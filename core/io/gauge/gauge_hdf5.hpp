// SPDX-License-Identifier: MIT
//
// Our own gauge configurations in HDF5: the dataset /gauge/links, complex [t][z][y][x][mu][row][column], with
// attributes of the group /gauge: extent (x y z t), bits, plaquette, link_trace, conventions, suma, sumb.  The checksum
// pair is the one that an ILDG file of the same links and precision has, so files can be compared across formats.
#pragma once

#include "kov/core/io/gauge/gauge_sink.hpp"
#include "kov/core/io/gauge/gauge_source.hpp"

#include <filesystem>
#include <memory>

namespace kov {

class Hdf5File;

}  // namespace kov

namespace kov::detail {

/// Whether the file is of this format: looks at its first bytes.
bool is_hdf5(const InputFile& file);
/// Reads the header of an opened file.  Throws FormatError when it is damaged or holds something else.
GaugeSource hdf5_source(const SharedFile& input, const std::shared_ptr<const Hdf5File>& file);
/// Begins a file; it gets its name with commit().
std::unique_ptr<GaugeSink> hdf5_sink(const std::filesystem::path& path, const Coord& extent,
                                     const WriteOptions& options);

}  // namespace kov::detail
