// SPDX-License-Identifier: MIT
//
// Checks of halos on any transport: with each checked face goes a trailer with its sequence number and checksum, so
// that one that is lost, comes from an earlier exchange or has a flipped bit is an error that says where, not a wrong
// result.
#pragma once

#include "kov/stencil/halo/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kov {

/// What goes with a checked face.
struct HaloTrailer {
  std::uint64_t sequence;
  std::uint64_t bytes;
  std::uint32_t crc32;
  std::int32_t leg;
};

/// The trailer of a face of this exchange.
HaloTrailer seal(std::span<const std::byte> message, std::uint64_t sequence, int leg);

/// Throws CommError that says what is wrong with the face `name`: an old sequence number, another leg or length, or a
/// checksum that does not fit.
void verify(const HaloTrailer& trailer, std::span<const std::byte> message, std::uint64_t sequence, int leg,
            const std::string& name);

/// A fault to put into the next checked face on a leg from a rank, to see that it is found.
struct HaloFault {
  enum class Kind {
    /// The face is not published; its trailer comes.
    lost,
    /// The sequence number is the last one's.
    stale,
    /// One bit is another where the face was written: in a message or in the reader's memory.
    flipped
  };
  Kind kind;
  int rank, leg;
};

/// For tests and drills: the fault happens once.
void inject_halo_fault(const HaloFault& fault);
/// Takes the fault meant for this face, if there is one.
std::optional<HaloFault::Kind> take_halo_fault(int rank, int leg);

namespace detail {

/// The steps of a checked exchange, on any transport.  Faces are packed a second time, into memory of this object, and
/// sealed there; what arrives in the halo is held against that.  Trailers go in messages.
class HaloCheck {
 public:
  HaloCheck(const Comm& comm, const std::vector<TransportFace>& faces);

  /// Where kernels write face f once more, as place() of a transport.
  std::byte* place(std::size_t f) const { return copies_.get() + first_[f]; }
  /// Seals the faces, and damages those at their places in the transport that a fault is meant for.  Both were packed,
  /// and the kernels are over.
  void seal_faces(const HaloTurn& turn, const HaloTransport& transport);
  /// In the place of the transport's own.
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
