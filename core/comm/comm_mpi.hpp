// SPDX-License-Identifier: MIT
//
// A Comm on an MPI communicator, and how it notices that other ranks have failed.
#pragma once

#include "kov/core/comm/comm_impl.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kov::detail {

/// Tells a rank that waits for others whether they can still come; asked repeatedly while it waits.
class RankWatch {
 public:
  virtual ~RankWatch() = default;
  /// Throws RankError when a rank has failed, or has ended and will never join the collective operation, send the
  /// message or receive it.  what: names what this rank waits for.
  virtual void look_at_all(std::string_view what) = 0;
  virtual void look_at(int peer, std::string_view what) = 0;
  /// Whether the only known errors are timeouts of other ranks.
  virtual bool others_gave_up() const = 0;
  /// A collective operation begins.  All ranks begin the same ones.
  void join() { ++operations_; }

 protected:
  std::uint64_t operations_ = 0;
};

/// The time this process has spent waiting.  Time during which the process is suspended does not count.
class WaitingTime {
 public:
  /// So far.  Call it often: each call counts at most one second.
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    seconds_ += std::min(1.0, std::chrono::duration<double>(now - last_).count());
    last_ = now;
    return seconds_;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  double seconds_ = 0;
};

/// Throws CommError with MPI's message unless the code is MPI_SUCCESS.
void check_mpi(int code, std::string_view what);

/// The processes of a communicator.  handle: MPI's integer handle; the communicator still belongs to the caller.
/// steps_handle: likewise a duplicate of it, for the messages of Comm::Impl::step(), which must not mix with those of
/// exchanges.
std::shared_ptr<const Comm::Impl> mpi_comm(int handle, int steps_handle, const std::shared_ptr<RankWatch>& watch);

}  // namespace kov::detail
