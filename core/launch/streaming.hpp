// SPDX-License-Identifier: MIT
//
// Whether a kernel works out of cache.
#pragma once

#include "kov/core/site/pack.hpp"

#include <cstddef>
#include <string_view>

namespace kov {

/// Whether a kernel that reads and writes this many bytes exceeds the caches.  Then stores that bypass the caches and,
/// on CPUs, prefetches are faster; in cache they are slower.
inline bool worth_streaming(std::size_t bytes) { return bytes > (std::size_t(has_packs ? 16 : 64) << 20); }

/// The same for kernels over packs or columns that only read, and whose caches may hold the bytes until the next one:
/// of the third level of this machine's caches, where Linux says how large it is, the share of this process.
bool worth_prefetching(std::size_t bytes);

namespace detail {
/// Bytes of a cache of this size ("32768K") that processors of this list ("0-7,64-71") share, as Linux writes both,
/// which n_threads of as many processors may fill; 0 where it cannot be read.
std::size_t cache_share(std::string_view size, std::string_view processors, int n_threads);
}  // namespace detail

}  // namespace kov
