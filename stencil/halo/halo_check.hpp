// SPDX-License-Identifier: MIT
//
// Checks of halo exchanges on any transport: each checked face is sent with a trailer that holds its sequence number
// and checksum.  A face that is lost, belongs to an earlier exchange or has a flipped bit then causes an error that
// names it, instead of a wrong result.
#pragma once

#include "kov/stencil/halo/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kov {

/// Sent with every checked face.
struct HaloTrailer {
  /// Number of the exchange, length and checksum of the face, and its leg.
  std::uint64_t sequence;
  std::uint64_t bytes;
  std::uint32_t crc32;
  std::int32_t leg;
};

/// The trailer of a face of this exchange.
HaloTrailer seal(std::span<const std::byte> message, std::uint64_t sequence, int leg);

/// Throws CommError that says what is wrong with the face `name`: an old sequence number, another leg or length, or a
/// checksum that does not match.
void verify(const HaloTrailer& trailer, std::span<const std::byte> message, std::uint64_t sequence, int leg,
            const std::string& name);

/// A fault to inject into the next checked face that a rank sends on a leg, to test that the fault is detected.
struct HaloFault {
  /// What goes wrong.
  enum class Kind {
    /// The face is not published, but its trailer is sent.
    lost,
    /// The sequence number is that of the previous exchange.
    stale,
    /// One bit is flipped where the face was written: in the message or in the reader's memory.
    flipped
  };
  Kind kind;
  /// Of the sender.
  int rank, leg;
};

/// For tests and fault drills: the fault happens once.
void inject_halo_fault(const HaloFault& fault);
/// Returns and clears the fault injected for this face, if there is one.
std::optional<HaloFault::Kind> take_halo_fault(int rank, int leg);

namespace detail {

/// The steps of a checked exchange, on any transport.  Faces are packed a second time, into memory of this object, and
/// their checksums are computed from that copy; the receiver compares them with what arrives in its halo.  Trailers are
/// sent as messages.
class HaloCheck {
 public:
  HaloCheck(const Comm& comm, const std::vector<TransportFace>& faces);

  /// Where kernels write the second copy of face f, as in place() of a transport.
  std::byte* place(std::size_t f) const { return copies_.get() + first_[f]; }
  /// Makes the trailers, and injects faults into the faces in the transport's memory.  Both copies must be packed and
  /// the kernels finished.
  void seal_faces(const HaloTurn& turn, const HaloTransport& transport);
  /// Called instead of the transport's own publish() and await().
  void publish(const HaloTurn& turn, HaloTransport& transport);
  void await(const HaloTurn& turn, HaloTransport& transport, const Exec& exec);

 private:
  std::span<const std::byte> arrived(const HaloTurn& turn, const HaloTransport& transport, std::size_t f,
                                     const Exec& exec);

  Comm comm_;
  std::vector<TransportFace> faces_;
  std::vector<std::size_t> first_;
  std::size_t bytes_ = 0;
  std::shared_ptr<std::byte> copies_, arrivals_;
  std::vector<std::size_t> published_;
  std::vector<HaloTrailer> out_, in_;
  std::optional<Comm::Exchange> trailers_;
};

}  // namespace detail

}  // namespace kov
