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

/// Whoever waits for other ranks asks it now and then whether they will come.
class RankWatch {
 public:
  virtual ~RankWatch() = default;
  /// Throws RankError when a rank has failed, or when this one waits in vain for what: an ended rank will not join the
  /// collective operation that is going on, or will not send or take a message.
  virtual void look_at_all(std::string_view what) = 0;
  virtual void look_at(int peer, std::string_view what) = 0;
  /// Whether all that is known to have gone wrong is that others waited in vain.
  virtual bool others_gave_up() const = 0;
  /// A collective operation begins.  All ranks begin the same ones.
  void join() { ++operations_; }

 protected:
  std::uint64_t operations_ = 0;
};

/// The time that this process spends waiting.  While it does not run, as in a job that is suspended, hardly any passes.
class WaitingTime {
 public:
  /// So far; to be asked often.
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

/// Throws CommError with MPI's words unless the code is that of success.
void check_mpi(int code, std::string_view what);

/// The group behind a communicator, which is given as MPI's integer handle and stays the caller's; likewise a duplicate
/// of it for the messages of Comm::Impl::step(), which must not mix with those of exchanges.
std::shared_ptr<const Comm::Impl> mpi_comm(int handle, int steps_handle, const std::shared_ptr<RankWatch>& watch);

}  // namespace kov::detail
