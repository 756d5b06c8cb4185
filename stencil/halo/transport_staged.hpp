// SPDX-License-Identifier: MIT
//
// StagedTransport: sends a GPU's messages through memory of the host.
#pragma once

#include "kov/stencil/halo/transport_messages.hpp"

namespace kov::detail {

/// Copies faces to page-locked host memory after packing, and from there to the GPU after arrival.  Copies are ordered
/// on the exchange's execution space instance, so they run concurrently with kernels on other instances.
class StagedTransport final : public MessageTransport {
 public:
  StagedTransport(const Comm& comm, const std::vector<TransportFace>& faces, std::size_t halo_bytes);

  void packed(const HaloTurn& turn, const Exec& exec) override;
  void await(const HaloTurn& turn, const Exec& exec) override;

 protected:
  std::span<std::byte> outgoing(const HaloTurn& turn, std::size_t f) const override;
  std::span<std::byte> incoming(const HaloTurn& turn, std::size_t f) const override;

 private:
  std::shared_ptr<std::byte> host_out_, host_in_;
};

}  // namespace kov::detail
