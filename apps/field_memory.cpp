// SPDX-License-Identifier: MIT
#include "apps/field_memory.hpp"

#include "kov/core/launcher.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace kov::app {

#if defined(KOKKOS_ENABLE_CUDA)

FieldMemory field_memory() { return {"each GPU", double(Kokkos::Cuda().cuda_device_prop().totalGlobalMem), 1}; }

#else

namespace {

double host_bytes() {
  double bytes = double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE));
  // Versions 2 and 1 of control groups, as containers see their own; "max" is no number.
  for (const char* name : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    if (double limit = 0; std::ifstream(name) >> limit && limit > 0) bytes = std::min(bytes, limit);
  return bytes;
}

}  // namespace

FieldMemory field_memory() { return {"each host", host_bytes(), Launcher::of_environment().on_host.value_or(1)}; }

#endif

}  // namespace kov::app
