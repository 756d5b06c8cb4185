// SPDX-License-Identifier: MIT
//
// Gauge transformations in files, so that what was fixed once can be applied again, to links or to quarks.
#pragma once

#include "kov/core/field/field.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kov {

/// Writes g(x), one SU(3) matrix a site, with U_mu(x) -> g(x) U_mu(x) g(x + mu)^+: HDF5, the dataset
/// /transformation/matrices, complex [t][z][y][x][row][column] in 64 bits, with attributes of the group
/// /transformation: extent (x y z t), conventions, SciDAC's checksum pair suma and sumb over the sites' bytes in
/// big-endian order, and the metadata.  Read back and compared before it gets its name.  Collective.  Throws InputError
/// for a field without one matrix a site or a file that cannot be written, NotBuilt without HDF5.
void write_transformation(const Field<ColorMatrix, double>& g, const std::filesystem::path& path,
                          const std::vector<std::pair<std::string, std::string>>& metadata = {});

/// Reads it.  Collective.  Throws FormatError for another file, other extents than the lattice's, a wrong checksum and
/// matrices that are not in SU(3) to 1e-4; NotBuilt without HDF5.
Field<ColorMatrix, double> read_transformation(const Lattice& lattice, const std::filesystem::path& path);

}  // namespace kov
