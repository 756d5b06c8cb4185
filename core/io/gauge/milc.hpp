// SPDX-License-Identifier: MIT
//
// MILC's binary formats, single precision, either byte order, sites in lexicographic order.
//   Version 5:  magic 20103, extents x y z t, 64 bytes of date, order (0 = lexicographic), sum29, sum31: 96 bytes.
//   Version 4:  magic 59354, extents x y z t, two 32-bit reals (couplings): 28 bytes, no checksum.
#pragma once

#include "kov/core/io/gauge/gauge_source.hpp"

namespace kov::detail {

/// Whether the file is of this format: looks at its first bytes.
bool is_milc(const InputFile& file);
/// Reads the header.  Throws FormatError when it is damaged.
GaugeSource milc_source(const SharedFile& file);

}  // namespace kov::detail
