// SPDX-License-Identifier: MIT
//
// SharedTransport: kernels write faces into the halos of other ranks of the same host.
#pragma once

#include "kov/core/comm/shared_memory.hpp"
#include "kov/stencil/halo/transport_messages.hpp"

namespace kov::detail {

/// Copies each site once, where a message copies it two or three times.  Ranks that cannot access each other's memory
/// exchange their faces in messages.
///
/// Every rank has a segment of shared memory: counters, then its halos.  A rank writes into its own segment the number
/// of the exchange that it has begun, which says that it no longer reads the halos of earlier ones.  After a face, its
/// sender writes the number of the face's exchange into the segment of the reader.  With n halos, exchange k overwrites
/// exchange k - n, so it waits until readers have begun exchange k - n + 1.
class SharedTransport final : public HaloTransport {
 public:
  /// Collective.
  SharedTransport(const Comm& comm, const std::vector<TransportFace>& faces, std::size_t halo_bytes,
                  std::size_t n_halos);

  std::string name() const override { return name_; }
  int n_written_remotely() const override;
  std::size_t n_halos() const override { return halos_.size(); }
  std::byte* halo(std::size_t h) const override { return halos_[h]; }
  std::byte* place(std::size_t h, std::size_t f) const override;
  void await_places(const HaloTurn& turn, const Exec& exec) override;
  void publish(const HaloTurn& turn, std::span<const std::size_t> faces) override;
  void await(const HaloTurn& turn, const Exec& exec) override;

 private:
  /// The layout of a segment, the same on all ranks.  Each counter has a cache line of its own.
  struct Segment {
    static constexpr std::size_t line = 128, page = 4096;
    std::size_t n_faces, n_halos, halo_bytes;

    std::size_t begun() const { return 0; }
    std::size_t arrived(std::size_t h, std::size_t f) const { return line * (1 + h * n_faces + f); }
    std::size_t halo(std::size_t h) const { return round_up(arrived(n_halos, 0)) + h * round_up(halo_bytes); }
    std::size_t bytes() const { return halo(n_halos); }
    static std::size_t round_up(std::size_t n) { return (n + page - 1) / page * page; }
  };

  void connect();
  bool is_written(std::size_t f) const { return is_written_[f] != 0; }
  bool writes(std::size_t f) const { return bool(readers_[f]); }

  Comm comm_;
  std::vector<TransportFace> faces_;
  Segment segment_;
  SharedMemory own_;
  std::vector<SharedMemory> readers_;  // of each face; empty if the face is sent in a message
  std::vector<std::size_t> landing_;   // where each face begins in the halo of its reader
  std::vector<char> is_written_;       // for each face: whether its sender writes into this rank's halo
  Buffer<std::byte> unshared_;         // used instead of own_ if the system gives no shared memory
  std::vector<std::byte*> halos_;
  std::unique_ptr<MessageTransport> messages_;  // for the other faces, where there are any
  std::string name_;
};

}  // namespace kov::detail
