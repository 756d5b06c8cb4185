// SPDX-License-Identifier: MIT
//
// What kernels run on.
#pragma once

#include <cstddef>
#include <string>

namespace kov {

/// "Cuda NVIDIA H200", "OpenMP AMD EPYC 9B14 2 threads": the name of the device, for reports and for what is remembered
/// about speeds.  One line.  Kokkos must be running.
std::string device_name();

namespace detail {
/// Copies bytes; either side may be host memory or memory of the default execution space.  Blocking, after all kernels.
void copy_between(void* to, const void* from, std::size_t bytes);

/// The same beside kernels, which must not use this memory: await_copies() waits for the copies that this thread
/// started and for nothing else.
void start_copy(void* to, const void* from, std::size_t bytes);
void await_copies();
}  // namespace detail

}  // namespace kov
