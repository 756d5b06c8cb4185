// SPDX-License-Identifier: MIT
//
// Comm: the processes that share a lattice.  Behind it are MPI (comm_mpi.cpp and mpi_run.cpp, the only files that know
// it) or, for a single process and in builds without MPI, this process alone (comm_serial.cpp).
#pragma once

#include "kov/core/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kov {

/// A rank waited for another, or for its message, which did not come in time.
struct TimeoutError : CommError {
  explicit TimeoutError(const std::string& text, std::source_location where = std::source_location::current())
      : CommError(text, where) {}
};

/// Another rank failed, and this one cannot go on without it; quotes that rank's error.
struct RankError : CommError {
  explicit RankError(const std::string& text, std::source_location where = std::source_location::current())
      : CommError(text, where) {}
};

/// A group of processes.  Copies are handles to the same group.
///
/// Every operation throws CommError instead of waiting for a rank that will not come: TimeoutError when one is late,
/// RankError when one has failed or has ended (see Runtime).
class Comm {
 public:
  /// This process alone, without MPI.
  static Comm self();
  /// All processes of the run; where MPI does not run, the same as self().  Throws CommError where no Runtime is alive.
  static Comm world();

  /// How many seconds a rank waits for another before it throws a TimeoutError: the value of the environment variable
  /// KOV_TIMEOUT (0: for ever), else an hour, because the other may be writing a large file.  Collective operations use
  /// this limit unless they are given another.
  static double default_timeout();

  int rank() const;
  int size() const;
  void barrier() const;

  /// Element-wise over all ranks, the result on every rank.  Sums of doubles are taken in a fixed tree of
  /// log2(size()) steps: the same bits on every rank and in every run with as many ranks.
  void sum(std::span<double> values) const;
  void sum(std::span<std::int64_t> values) const;
  /// Modulo 2^32, for checksums of files.
  void sum(std::span<std::uint32_t> values) const;
  void bit_xor(std::span<std::uint32_t> values) const;
  void max(std::span<double> values) const;
  void max(std::span<std::int64_t> values) const;

  void broadcast(std::span<std::byte> bytes, int root = 0) const;
  std::string broadcast(const std::string& text, int root = 0) const;
  /// Gathers the bytes of every rank on every rank, entry r from rank r; lengths may differ.
  std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) const;

  /// Throws InputError, on every rank, unless all ranks have the same text.  what: names it in the message. Collective;
  /// throws CommError when a rank has not come after this many seconds (0: waits for ever).
  void require_same(const std::string& what, const std::string& text, double timeout_seconds = default_timeout()) const;

  /// Whether messages may be sent from and received in GPU memory: the MPI of every rank supports it.  Collective.
  bool takes_device_memory() const;

  /// Waits until done() says yes: for what rank `from` writes into memory that both reach.  Throws CommError when that
  /// rank has failed or this many seconds have passed (0: waits for ever); name says what is awaited.
  void wait_until(const std::function<bool()>& done, int from, const std::function<std::string()>& name,
                  double timeout_seconds = default_timeout()) const;

  /// One pending set of messages.  Messages of one set between the same two ranks are told apart by tag.
  class Exchange {
   public:
    explicit Exchange(const Comm& comm);
    ~Exchange();
    Exchange(Exchange&&) noexcept;
    Exchange& operator=(Exchange&&) noexcept;
    /// Host memory, or a GPU's where takes_device_memory(); it must stay alive until wait() returns.
    void receive(std::span<std::byte> bytes, int from, int tag);
    void send(std::span<const std::byte> bytes, int to, int tag);
    /// Returns when every message has arrived.  Throws CommError when one is shorter than its buffer, or when one has
    /// not come after this many seconds (0: waits for ever); name_of says which message a tag is.
    void wait(double timeout_seconds = default_timeout(), const std::function<std::string(int)>& name_of = {});

    struct Impl;

   private:
    std::unique_ptr<Impl> impl_;
  };

  /// The ranks before n as a group of their own, with the same numbers; empty on the others, which may do something
  /// else or wait in an operation of this group.  Its collective operations are messages between pairs of its ranks:
  /// for comparing numbers of ranks in one run.  Collective.  Throws InputError unless there are n ranks.
  std::optional<Comm> first(int n) const;

  /// Runs f on this rank; when f threw on any rank, every rank throws: its own exception where there is one, else a
  /// RankError that quotes the first failing rank's.  What can fail on some ranks only (files, memory) goes through
  /// here, so that no rank is left waiting for another.
  template <class F>
  void agree(F&& f) const {
    std::exception_ptr mine;
    std::string text;
    try {
      f();
    } catch (const std::exception& e) {
      mine = std::current_exception();
      text = e.what();
    }
    rethrow_agreed(mine, text);
  }

  struct Impl;

 private:
  explicit Comm(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  void rethrow_agreed(std::exception_ptr mine, const std::string& text) const;

  std::shared_ptr<const Impl> impl_;
};

}  // namespace kov
