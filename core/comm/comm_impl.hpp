// SPDX-License-Identifier: MIT
//
// What is behind a Comm: the operations that messages between processes (comm_mpi.cpp) and one process alone
// (comm_serial.cpp) do each in their own way.  Everything else of Comm is made of these, in comm.cpp.
#pragma once

#include "kov/core/comm/comm.hpp"

namespace kov {

/// The operations of a Comm.  Every rank calls collective ones in the same order; waits end with a TimeoutError after the
/// seconds of Wait, and with a RankError when another rank has failed.
struct Comm::Impl {
  /// Of numbers that are reduced: double, std::int64_t or std::uint64_t.
  enum class Type { real, integer, word };
  /// How they are reduced.
  enum class Op { sum, max, bit_xor };
  /// What a rank waits for, as named in error messages, and the limit in seconds; 0: no limit.
  struct Wait {
    std::string_view what;
    double seconds = Comm::default_timeout();
  };

  Impl() = default;
  virtual ~Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual bool takes_device_memory() const = 0;
  virtual void barrier(const Wait& wait) const = 0;
  /// Element-wise over all ranks.
  virtual void reduce(std::span<std::byte> values, Type type, Op op, const Wait& wait) const = 0;
  /// One step of a collective operation that is made of messages between pairs of ranks: sends out to peer and receives
  /// in from it; nothing where a span is empty, and then peer may be none.  Every rank takes every step: errors tell
  /// ranks that ended early by the number of steps that they took.
  virtual void step(std::span<const std::byte> out, std::span<std::byte> in, int peer, const Wait& wait) const = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root, const Wait& wait) const = 0;
  /// The bytes of all ranks one after the other; lengths[r] are rank r's.
  virtual std::vector<std::byte> gather(std::span<const std::byte> mine, std::span<const std::size_t> lengths,
                                        const Wait& wait) const = 0;
  virtual std::unique_ptr<Exchange::Impl> exchange() const = 0;
  virtual void wait_until(const std::function<bool()>& done, int from, const std::function<std::string()>& name,
                          double timeout_seconds) const = 0;
};

/// Messages between pairs of ranks that go on at once: receive() and send() start them, wait() returns when all of them
/// have arrived.
struct Comm::Exchange::Impl {
  virtual ~Impl() = default;
  virtual void receive(std::span<std::byte> bytes, int from, int tag) = 0;
  virtual void send(std::span<const std::byte> bytes, int to, int tag) = 0;
  virtual void wait(double timeout_seconds, const std::function<std::string(int)>& name_of) = 0;
};

namespace detail {
/// This process alone.
std::shared_ptr<const Comm::Impl> serial_comm();
}  // namespace detail

}  // namespace kov
