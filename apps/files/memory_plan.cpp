// SPDX-License-Identifier: MIT
#include "apps/files/memory_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <span>

namespace kov::app {

namespace {

/// What is needed of a pool.
struct Share {
  MemoryPool pool;
  double needed;
};

/// The pools of all ranks, and what is needed of each by all that share it.  Collective.
std::map<std::uint64_t, Share> shares_of_all(const Comm& comm, double needed, const std::vector<MemoryPool>& pools) {
  std::vector<Share> mine;
  for (const MemoryPool& pool : pools) mine.push_back({pool, needed});
  std::map<std::uint64_t, Share> sums;
  for (const std::vector<std::byte>& bytes : comm.all_gather(std::as_bytes(std::span(mine)))) {
    std::vector<Share> shares(bytes.size() / sizeof(Share));
    std::memcpy(shares.data(), bytes.data(), bytes.size());
    for (const Share& share : shares)
      sums.try_emplace(share.pool.identity, Share{share.pool, 0}).first->second.needed += share.needed;
  }
  return sums;
}

constexpr double MiB = 1 << 20;

}  // namespace

std::string mebibytes_text(double bytes) { return sentence(std::int64_t(std::ceil(bytes / MiB)), "MiB"); }

std::string memory_row(double bytes_per_site, const Lattice& lattice) {
  return "memory          " + mebibytes_text(bytes_per_site * double(lattice.volume())) + "\n";
}

std::string memory_warning(const Comm& comm, double bytes_of_process, const std::vector<MemoryPool>& pools) {
  Share worst{{MemoryPool::Kind::host, 0, 0}, 0};
  for (const auto& [identity, sum] : shares_of_all(comm, bytes_of_process, pools))
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

double memory_of_rank(const Comm& comm, const std::vector<MemoryPool>& pools) {
  double bytes = std::numeric_limits<double>::infinity();
  for (const auto& [identity, ranks] : shares_of_all(comm, 1, pools))
    bytes = std::min(bytes, ranks.pool.bytes / ranks.needed);
  return bytes;
}

void warn_beyond_memory(const Session& session, double bytes_per_site, const Lattice& lattice) {
  const double local = double(lattice.geometry().local_volume());
  if (const std::string warning = memory_warning(session.comm, bytes_per_site * local); !warning.empty())
    session.warn(warning);
}

void MemoryChoice::add_to(Settings& s) {
  s.add(
      "memory.limit", &limit,
      "GiB that a process may take, into which batches are made to fit; 0: its part of what GPUs, or hosts and control "
      "groups, have");
}

void MemoryChoice::check(const Settings& settings) const {
  require(limit >= 0, settings.origin("memory.limit"), "is", limit, "- it must be positive, or 0");
}

double MemoryChoice::bytes_of_process(const Comm& comm) const {
  return limit > 0 ? limit * (1 << 30) : memory_of_rank(comm);
}

std::string too_little_memory(const std::string& what, double needed, double bytes, const std::string& remedy) {
  return sentence(what, "need", mebibytes_text(needed), "in each process with the smallest batches, but there are",
                  std::int64_t(bytes / MiB), "MiB:", remedy.empty() ? "run" : remedy + ", run",
                  "more processes on more hosts or GPUs, or raise memory.limit if there is more");
}

}  // namespace kov::app
