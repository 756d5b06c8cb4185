// SPDX-License-Identifier: MIT
//
// Pools of memory with a limit: hosts, control groups and GPUs, each shared by all processes in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace kov::app {

/// Memory that several processes share, and how much of it there is.
struct MemoryPool {
  /// Who shares it.
  enum class Kind : std::int32_t {
    host,
    /// A container's, or what a batch system made for a job on a host.
    control_group,
    gpu
  };
  Kind kind;
  /// Equal in processes that share it, on any rank.
  std::uint64_t identity;
  double bytes;
};

/// The pools that hold this process's fields: its GPU; without one its host and its control groups.
std::vector<MemoryPool> memory_pools();

/// Those of this process's other memory: its host and its control groups.
std::vector<MemoryPool> host_memory_pools();

/// The control groups that limit this process's memory, from its own to the outermost one.  root: the root of the file
/// system, "/" except in tests.
std::vector<MemoryPool> control_group_pools(const std::filesystem::path& root);

}  // namespace kov::app
