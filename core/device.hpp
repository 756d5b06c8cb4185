// SPDX-License-Identifier: MIT
//
// What kernels run on.
#pragma once

#include <string>

namespace kov {

/// "Cuda NVIDIA H200", "OpenMP AMD EPYC 9B14 2 threads": the name of the device, for reports and for what is remembered
/// about speeds.  One line.  Kokkos must be running.
std::string device_name();

}  // namespace kov
