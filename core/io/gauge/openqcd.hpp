// SPDX-License-Identifier: MIT
//
// openQCD's exported configurations: little endian, extents t x y z as 32-bit integers, the average of Re tr P over all
// plaquettes (three times the normalised one) as a double, then the odd sites in the order t slowest, x, y, z fastest,
// each with its eight links: for t, x, y, z the one that leaves it forward, then the one that arrives from behind.
#pragma once

#include "kov/core/io/gauge/gauge_source.hpp"

namespace kov::detail {

/// Whether the file can be of this format: there is no magic number, so extents and length are compared.
bool is_openqcd(const InputFile& file);
/// Reads the header.  Throws FormatError when it is damaged.
GaugeSource openqcd_source(const SharedFile& file);

}  // namespace kov::detail
