// SPDX-License-Identifier: MIT
#include "apps/files/memory_pools.hpp"

#include "kov/core/base/hash.hpp"
#include "kov/core/comm/shared_memory.hpp"

#include <Kokkos_Core.hpp>

#include <fstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace kov::app {

namespace {

namespace fs = std::filesystem;
using Kind = MemoryPool::Kind;

std::uint64_t identity_here(Kind kind, std::string_view name) {
  return hash(std::to_string(this_host()) + " " + std::to_string(int(kind)) + " " + std::string(name));
}

/// Adds the limits of a group and of those around it, whose folders are below `top`.
void add_groups(const fs::path& top, const fs::path& group, const char* limit_file, std::vector<MemoryPool>& pools) {
  for (fs::path inner = group.relative_path();; inner = inner.parent_path()) {
    const fs::path folder = top / inner;
    struct stat status {};
    // "max" is no number, and no limit.
    if (double bytes = 0; ::stat(folder.c_str(), &status) == 0 && std::ifstream(folder / limit_file) >> bytes)
      pools.push_back(
          {Kind::control_group, identity_here(Kind::control_group, limit_file + std::to_string(status.st_ino)), bytes});
    if (inner.empty()) return;
  }
}

}  // namespace

std::vector<MemoryPool> control_group_pools(const fs::path& root) {
  std::vector<MemoryPool> pools;
  const fs::path mounted = root / "sys/fs/cgroup";
  std::ifstream file(root / "proc/self/cgroup");
  // NUMBER:CONTROLLERS:GROUP; version 2 has no controllers there, version 1 a line for each set of them.
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    fs::path group = line.substr(second + 1);
    // Inside a container the groups around it have no folder.
    if (line.find("/..", second) != line.npos) group = "/";
    if (controllers == ",,") add_groups(mounted, group, "memory.max", pools);
    if (controllers.find(",memory,") != controllers.npos)
      add_groups(mounted / "memory", group, "memory.limit_in_bytes", pools);
  }
  return pools;
}

std::vector<MemoryPool> host_memory_pools() {
  std::vector<MemoryPool> pools = control_group_pools("/");
  pools.push_back(
      {Kind::host, identity_here(Kind::host, ""), double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE))});
  return pools;
}

#if defined(KOKKOS_ENABLE_CUDA)

std::vector<MemoryPool> memory_pools() {
  const auto& device = Kokkos::Cuda().cuda_device_prop();
  const std::string_view id(device.uuid.bytes, sizeof device.uuid.bytes);
  return {{Kind::gpu, identity_here(Kind::gpu, id), double(device.totalGlobalMem)}};
}

#else

std::vector<MemoryPool> memory_pools() { return host_memory_pools(); }

#endif

}  // namespace kov::app
