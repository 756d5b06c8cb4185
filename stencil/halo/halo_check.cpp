// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/halo_check.hpp"

#include "kov/core/base/device.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/checksum.hpp"

#include <utility>

namespace kov {

namespace {
std::optional<HaloFault> waiting_fault;
}

HaloTrailer seal(std::span<const std::byte> message, std::uint64_t sequence, int leg) {
  return {sequence, message.size(), crc32(message), leg};
}

void verify(const HaloTrailer& trailer, std::span<const std::byte> message, std::uint64_t sequence, int leg,
            const std::string& name) {
  require<CommError>(trailer.leg == leg && trailer.bytes == message.size(), name, "is for leg", trailer.leg, "with",
                     trailer.bytes, "bytes where leg", leg, "with", message.size(),
                     "was due: the ranks disagree about the field; give all the same input");
  require<CommError>(trailer.sequence == sequence, name, "belongs to exchange", trailer.sequence, "but exchange",
                     sequence,
                     "is going on: an old message was delivered; run again, on other hosts if it happens again");
  require<CommError>(
      trailer.crc32 == crc32(message), name,
      "was damaged on its way: its checksum does not fit; run again, on other hosts if it happens again");
}

void inject_halo_fault(const HaloFault& fault) { waiting_fault = fault; }

std::optional<HaloFault::Kind> take_halo_fault(int rank, int leg) {
  if (!waiting_fault || waiting_fault->rank != rank || waiting_fault->leg != leg) return {};
  const HaloFault::Kind kind = waiting_fault->kind;
  waiting_fault.reset();
  return kind;
}

namespace detail {

namespace {

/// face: in memory of the host or where kernels run.
void flip_a_bit(std::span<std::byte> face) {
  if (face.empty()) return;
  std::byte* const p = face.data() + face.size() / 2;
  std::byte byte{};
  copy_between(&byte, p, 1);
  byte ^= std::byte{4};
  copy_between(p, &byte, 1);
}

}  // namespace

HaloCheck::HaloCheck(const Comm& comm, const std::vector<TransportFace>& faces) : comm_(comm), faces_(faces) {
  for (const auto& face : faces) {
    first_.push_back(bytes_);
    bytes_ += face.bytes[0] + face.bytes[1];
  }
  copies_ = allocate_pinned("checked halo messages", bytes_);
  if (kernels_are_asynchronous) arrivals_ = allocate_pinned("checked halo messages", bytes_);
  out_.resize(faces.size());
  in_.resize(faces.size());
}

void HaloCheck::seal_faces(const HaloTurn& turn, const HaloTransport& transport) {
  published_.clear();
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    const auto& face = faces_[f];
    const auto fault = take_halo_fault(comm_.rank(), face.leg);
    const auto sequence = fault == HaloFault::Kind::stale ? turn.sequence - 1 : turn.sequence;
    out_[f] = seal(face.part(place(f), turn.subset), sequence, face.leg);
    if (fault == HaloFault::Kind::flipped)
      flip_a_bit(face.part(transport.place(transport.halo_of(turn), f), turn.subset));
    if (fault != HaloFault::Kind::lost) published_.push_back(f);
  }
}

void HaloCheck::publish(const HaloTurn& turn, HaloTransport& transport) {
  transport.publish(turn, published_);
  // Transports use even tags, trailers odd ones.
  trailers_.emplace(comm_);
  for (std::size_t f = 0; f < faces_.size(); ++f)
    trailers_->receive(std::as_writable_bytes(std::span(&in_[f], 1)), faces_[f].from_rank, 2 * int(f) + 1);
  for (std::size_t f = 0; f < faces_.size(); ++f)
    trailers_->send(std::as_bytes(std::span(&out_[f], 1)), faces_[f].to_rank, 2 * int(f) + 1);
}

void HaloCheck::await(const HaloTurn& turn, HaloTransport& transport, const Exec& exec) {
  std::optional<Comm::Exchange> trailers = std::exchange(trailers_, {});
  transport.await(turn, exec);
  trailers->wait(turn.timeout_seconds, [&](int tag) { return faces_[std::size_t(tag) / 2].name; });
  for (std::size_t f = 0; f < faces_.size(); ++f)
    verify(in_[f], arrived(turn, transport, f, exec), turn.sequence, faces_[f].leg, faces_[f].name);
}

/// A face that has arrived, in memory that the host can read.
std::span<const std::byte> HaloCheck::arrived(const HaloTurn& turn, const HaloTransport& transport, std::size_t f,
                                              const Exec& exec) {
  const auto& face = faces_[f];
  const auto there = face.part(transport.halo(transport.halo_of(turn)) + face.landing, turn.subset);
  if (!kernels_are_asynchronous) return there;
  const auto here = face.part(arrivals_.get() + first_[f], turn.subset);
  copy_to_host(exec, here.data(), there.data(), here.size());
  exec.fence("checked halo message");
  return here;
}

}  // namespace detail

}  // namespace kov
