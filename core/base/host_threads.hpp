// SPDX-License-Identifier: MIT
//
// Work for all host threads that is not a kernel: reading, decoding and checksums of files.  This header does not
// include Kokkos.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kov {

/// How many threads on_host_threads() has.
std::size_t n_host_threads();

/// Calls work(i, thread) for every i in [0, n) on all host threads; each thread takes the next free i.  Returns when
/// all are done.  thread: 0 to n_host_threads() - 1, an index for data that each thread has of its own.  When a call
/// throws, all threads stop, and the exception is rethrown here.  Not for use inside kernels.
void on_host_threads(const std::string& name, std::int64_t n,
                     const std::function<void(std::int64_t i, int thread)>& work);

}  // namespace kov
