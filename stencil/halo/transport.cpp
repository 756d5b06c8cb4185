// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/transport.hpp"

#include "kov/stencil/halo/transport_messages.hpp"
#include "kov/stencil/halo/transport_shared.hpp"
#include "kov/stencil/halo/transport_staged.hpp"

namespace kov::detail {

std::unique_ptr<HaloTransport> make_transport(const Comm& comm, ExchangeOptions::Transport transport,
                                              const std::vector<TransportFace>& faces, std::size_t halo_bytes,
                                              std::size_t n_halos) {
  using Transport = ExchangeOptions::Transport;
  if (transport == Transport::shared) return std::make_unique<SharedTransport>(comm, faces, halo_bytes, n_halos);
  if (unified_memory || transport == Transport::device)
    return std::make_unique<MessageTransport>(comm, faces, halo_bytes, to_string(transport));
  return std::make_unique<StagedTransport>(comm, faces, halo_bytes);
}

}  // namespace kov::detail
