// SPDX-License-Identifier: MIT
//
// SharedTransport: kernels write faces into the halos of other ranks of the same host.
#pragma once

#include "kov/core/comm/shared_memory.hpp"
#include "kov/stencil/halo/transport_messages.hpp"

namespace kov::detail {

/// One pass over the sites, where a message takes two or three.  Where two ranks cannot reach each other's memory
/// their faces go in messages.
///
/// Every rank has a segment of shared memory: counters, then its halos.  A rank writes into its own segment the number
/// of the exchange that it has begun, which says that it reads the halos before no more; with a face, its sender writes
/// the number of the exchange that it belongs to.  With n halos, exchange k writes where exchange k - n was, so that it
/// waits for readers to begin exchange k - n + 1.
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
  /// What all ranks know of a segment.  Counters have a line of the caches each.
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
  std::vector<SharedMemory> readers_;  // of each face; empty where it goes in a message
  std::vector<std::size_t> landing_;   // where each face begins in the halo of its reader
  std::vector<char> is_written_;       // of each face, by its sender into this rank's halo
  Buffer<std::byte> unshared_;         // this rank's halo where the system gives no memory to share
  std::vector<std::byte*> halos_;
  std::unique_ptr<MessageTransport> messages_;  // for the other faces, where there are any
  std::string name_;
};

}  // namespace kov::detail
