// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/transport_staged.hpp"

namespace kov::detail {

StagedTransport::StagedTransport(const Comm& comm, const std::vector<TransportFace>& faces, std::size_t halo_bytes)
    : MessageTransport(comm, faces, halo_bytes, to_string(ExchangeOptions::Transport::staged)),
      host_out_(allocate_pinned("halo messages out", out_.size())),
      host_in_(allocate_pinned("halo messages in", out_.size())) {}

std::span<std::byte> StagedTransport::outgoing(const HaloTurn& turn, std::size_t f) const {
  return faces_[f].part(host_out_.get() + first_[f], turn.subset);
}

std::span<std::byte> StagedTransport::incoming(const HaloTurn& turn, std::size_t f) const {
  return faces_[f].part(host_in_.get() + first_[f], turn.subset);
}

void StagedTransport::packed(const HaloTurn& turn, const Exec& exec) {
  if (turn.subset == Subset::all) return copy_to_host(exec, host_out_.get(), out_.data(), out_.size());
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    const auto host = outgoing(turn, f);
    copy_to_host(exec, host.data(), MessageTransport::outgoing(turn, f).data(), host.size());
  }
}

void StagedTransport::await(const HaloTurn& turn, const Exec& exec) {
  MessageTransport::await(turn, exec);
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    const auto host = incoming(turn, f);
    copy_to_device(exec, MessageTransport::incoming(turn, f).data(), host.data(), host.size());
  }
}

}  // namespace kov::detail
