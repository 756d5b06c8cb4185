// SPDX-License-Identifier: MIT
//
// Comm: the processes that share a lattice.  Two implementations, one header: comm_mpi.cpp and comm_serial.cpp; the
// build links one of them, and no other file knows MPI.
#pragma once

#include "kov/core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kov {

/// A group of processes.  Copies are handles to the same group.
class Comm {
 public:
  /// This process alone.
  static Comm self();
  /// All processes of the run; without MPI the same as self().  A Runtime must be alive.
  static Comm world();

  int rank() const;
  int size() const;
  void barrier() const;

  /// Element-wise over all ranks, the result on every rank.  Sums of doubles are taken in rank order, so they are
  /// the same in every run.
  void sum(std::span<double> values) const;
  void sum(std::span<std::int64_t> values) const;
  /// Modulo 2^32, as file checksums want it.
  void sum(std::span<std::uint32_t> values) const;
  void bit_xor(std::span<std::uint32_t> values) const;
  void max(std::span<double> values) const;
  void max(std::span<std::int64_t> values) const;

  void broadcast(std::span<std::byte> bytes, int root = 0) const;
  std::string broadcast(const std::string& text, int root = 0) const;
  /// rank r's bytes, for every r, on every rank; blocks may differ in length.
  std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) const;

  /// Throws InputError, on every rank, unless all ranks have the same text: what, in words, is what it says.
  /// Collective; throws CommError when a rank has not come after so many seconds (0: waits for ever).
  void require_same(const std::string& what, const std::string& text, double timeout_seconds = 0) const;

  /// Whether messages may lie in the memory of a GPU: MPI says so on every rank.  Collective.
  bool takes_device_memory() const;

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
    /// not come after so many seconds (0: waits for ever); name_of says which message a tag is.
    void wait(double timeout_seconds = 0, const std::function<std::string(int)>& name_of = {});

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };

  /// Runs f on this rank; when f threw on any rank, every rank throws: its own exception where there is one, else a
  /// CommError that quotes the first failing rank's.  What can fail on some ranks only (files, memory) goes through
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
