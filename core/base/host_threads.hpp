// SPDX-License-Identifier: MIT
//
// Work for all threads of the host that is no kernel: reading, decoding and checksums of files.  No Kokkos in this
// header.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kov {

/// How many threads on_host_threads() has.
std::size_t n_host_threads();

/// Calls work(i, thread) for every i in [0, n), on all threads of the host; a thread takes the next i when it has done
/// one.  Returns when all are done.  thread: 0 to n_host_threads() - 1, for what a thread keeps to itself.  What a call
/// throws ends the work of all threads and is thrown again here.  Not from within kernels.
void on_host_threads(const std::string& name, std::int64_t n,
                     const std::function<void(std::int64_t i, int thread)>& work);

}  // namespace kov
