// SPDX-License-Identifier: MIT
//
// Whether a kernel works out of cache.
#pragma once

#include "kov/core/base/memory.hpp"
#include "kov/core/site/pack.hpp"

#include <cstddef>
#include <string_view>

namespace kov {

/// Whether a kernel that reads and writes this many bytes exceeds the caches.  Then stores that bypass the caches and,
/// on CPUs, prefetches are faster; in cache they are slower.
inline bool worth_streaming(std::size_t bytes) {
  return bytes > (has_packs ? detail::most_bytes_in_cache : std::size_t(64) << 20);
}

/// Whether so many bytes exceed the caches of a CPU, of which Linux says how large the third one is; on GPUs
/// worth_streaming().  Then prefetches make kernels over packs or columns faster that write nothing, as sums do, and
/// stores past the caches what is read next.  An estimate: the caches of one machine may differ, and others may use
/// them too.
bool exceeds_third_cache(std::size_t bytes);

namespace detail {
/// Bytes of a cache of this size ("32768K") that processors of this list ("0-7,64-71") share, as Linux writes both,
/// which n_threads of as many processors may fill; 0 where it cannot be read.
std::size_t cache_share(std::string_view size, std::string_view processors, int n_threads);
/// Whether so many bytes exceed the caches, of which the third has `third` for this process, 0 if that is not known.
bool exceeds_caches(std::size_t bytes, std::size_t third);
}  // namespace detail

}  // namespace kov
