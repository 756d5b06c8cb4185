// SPDX-License-Identifier: MIT
//
// MessageTransport: MPI messages directly between the memory of kernels: a host's, or a GPU's if MPI accepts that.
#pragma once

#include "kov/core/base/memory.hpp"
#include "kov/stencil/halo/transport.hpp"

#include <optional>

namespace kov::detail {

/// One message per face, from a buffer of the sender into the halo.
///
/// One halo, unlike in shared memory: an exchange waits for the kernels of this rank that read the halo, which mostly
/// made the field that it packs, before it posts receives; no rank waits for the readers of another.
class MessageTransport : public HaloTransport {
 public:
  MessageTransport(const Comm& comm, const std::vector<TransportFace>& faces, std::size_t halo_bytes,
                   const std::string& name);

  /// Receives into the halos of another transport, and handles only faces for which `sends` or `receives` is 1.
  MessageTransport(const Comm& comm, const std::vector<TransportFace>& faces, const std::vector<std::byte*>& halos,
                   const std::vector<char>& sends, const std::vector<char>& receives);

  std::string name() const override { return name_; }
  std::size_t n_halos() const override { return halos_.size(); }
  std::byte* halo(std::size_t h) const override { return halos_[h]; }
  std::byte* place(std::size_t, std::size_t f) const override { return out_.data() + first_[f]; }
  void publish(const HaloTurn& turn, std::span<const std::size_t> faces) override;
  void await(const HaloTurn& turn, const Exec& exec) override;

 protected:
  /// The memory that MPI sends a face from or receives it into.
  virtual std::span<std::byte> outgoing(const HaloTurn& turn, std::size_t f) const;
  virtual std::span<std::byte> incoming(const HaloTurn& turn, std::size_t f) const;

  Comm comm_;
  std::vector<TransportFace> faces_;
  Buffer<std::byte> out_;
  std::vector<std::size_t> first_;  // of each face in out_
  std::vector<char> sends_, receives_;

 private:
  void place_faces();

  std::string name_;
  Buffer<std::byte> memory_;
  std::vector<std::byte*> halos_;
  std::optional<Comm::Exchange> messages_;
};

}  // namespace kov::detail
