// SPDX-License-Identifier: MIT
#include "apps/files/memory_plan.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <span>

namespace kov::app {

namespace {

/// What is needed of a pool.
struct Share {
  MemoryPool pool;
  double needed;
};

}  // namespace

std::string memory_row(double bytes_per_site, const Lattice& lattice) {
  return sentence("memory         ", std::ceil(bytes_per_site * double(lattice.volume()) / (1 << 20)), "MiB\n");
}

std::string memory_warning(const Comm& comm, double bytes_of_process, const std::vector<MemoryPool>& pools) {
  std::vector<Share> mine;
  for (const MemoryPool& pool : pools) mine.push_back({pool, bytes_of_process});
  std::map<std::uint64_t, Share> sums;
  for (const std::vector<std::byte>& bytes : comm.all_gather(std::as_bytes(std::span(mine)))) {
    std::vector<Share> shares(bytes.size() / sizeof(Share));
    std::memcpy(shares.data(), bytes.data(), bytes.size());
    for (const Share& share : shares)
      sums.try_emplace(share.pool.identity, Share{share.pool, 0}).first->second.needed += share.needed;
  }
  Share worst{{MemoryPool::Kind::host, 0, 0}, 0};
  for (const auto& [identity, sum] : sums)
    if (sum.needed - sum.pool.bytes > worst.needed - worst.pool.bytes) worst = sum;
  if (worst.needed == 0) return "";
  using Kind = MemoryPool::Kind;
  const Kind kind = worst.pool.kind;
  const std::string where = kind == Kind::host  ? "on each host"
                            : kind == Kind::gpu ? "on each GPU"
                                                : "in a control group (a container, or a batch job on a host)";
  return sentence(
      "the fields take about", std::ceil(worst.needed / 1e9), "GB", where + ",", "which is more than its memory of",
      std::floor(worst.pool.bytes / 1e9),
      kind == Kind::control_group ? "GB: ask for more memory, or run it on more hosts" : "GB: run it on more of them");
}

void warn_beyond_memory(const Session& session, double bytes_per_site, const Lattice& lattice) {
  const double local = double(lattice.geometry().local_volume());
  if (const std::string warning = memory_warning(session.comm, bytes_per_site * local); !warning.empty())
    session.warn(warning);
}

}  // namespace kov::app
