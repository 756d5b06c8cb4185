// SPDX-License-Identifier: MIT
//
// StagedTransport: messages of a GPU through memory of the host.
#pragma once

#include "kov/stencil/halo/transport_messages.hpp"

namespace kov::detail {

/// Copies faces to page-locked memory after they are packed and from there after they have come, on the instance of
/// the exchange: beside kernels of any other.
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
