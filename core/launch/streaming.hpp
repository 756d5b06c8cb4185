// SPDX-License-Identifier: MIT
//
// Whether a kernel works out of cache.
#pragma once

#include "kov/core/site/pack.hpp"

#include <cstddef>

namespace kov {

/// Whether a kernel that reads and writes this many bytes exceeds the caches.  Then stores that bypass the caches and,
/// on CPUs, prefetches are faster; in cache they are slower.
inline bool worth_streaming(std::size_t bytes) { return bytes > (std::size_t(has_packs ? 16 : 64) << 20); }

}  // namespace kov
