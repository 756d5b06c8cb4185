// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/transport_messages.hpp"

#include <utility>

namespace kov::detail {

MessageTransport::MessageTransport(const Comm& comm, const std::vector<TransportFace>& faces, std::size_t halo_bytes,
                                   const std::string& name)
    : comm_(comm),
      faces_(faces),
      sends_(faces.size(), 1),
      receives_(faces.size(), 1),
      name_(name),
      memory_("halo", halo_bytes),
      halos_{memory_.data()} {
  place_faces();
}

MessageTransport::MessageTransport(const Comm& comm, const std::vector<TransportFace>& faces,
                                   const std::vector<std::byte*>& halos, const std::vector<char>& sends,
                                   const std::vector<char>& receives)
    : comm_(comm), faces_(faces), sends_(sends), receives_(receives), halos_(halos) {
  place_faces();
}

void MessageTransport::place_faces() {
  std::size_t n = 0;
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    first_.push_back(n);
    if (sends_[f]) n += faces_[f].bytes[0] + faces_[f].bytes[1];
  }
  out_ = Buffer<std::byte>("halo messages out", n);
}

std::span<std::byte> MessageTransport::outgoing(const HaloTurn& turn, std::size_t f) const {
  return faces_[f].part(out_.data() + first_[f], turn.subset);
}

std::span<std::byte> MessageTransport::incoming(const HaloTurn& turn, std::size_t f) const {
  return faces_[f].part(halo(halo_of(turn)) + faces_[f].landing, turn.subset);
}

void MessageTransport::publish(const HaloTurn& turn, std::span<const std::size_t> faces) {
  messages_.emplace(comm_);
  for (std::size_t f = 0; f < faces_.size(); ++f)
    if (receives_[f]) messages_->receive(incoming(turn, f), faces_[f].from_rank, 2 * int(f));
  for (const std::size_t f : faces)
    if (sends_[f]) messages_->send(outgoing(turn, f), faces_[f].to_rank, 2 * int(f));
}

void MessageTransport::await(const HaloTurn& turn, const Exec&) {
  std::optional<Comm::Exchange> messages = std::exchange(messages_, {});
  messages->wait(turn.timeout_seconds, [&](int tag) { return faces_[std::size_t(tag) / 2].name; });
}

}  // namespace kov::detail
