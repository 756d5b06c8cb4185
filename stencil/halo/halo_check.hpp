// SPDX-License-Identifier: MIT
//
// Checks of halos: with each checked face, in a message or written into its reader's memory, goes a trailer with its
// sequence number and checksum, so that one that is lost, comes from an earlier exchange or has a flipped bit is an
// error that says where, not a wrong result.
#pragma once

#include "kov/stencil/halo/halo_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

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

/// Throws CommError that names the sending rank, the leg and what is wrong: an old sequence number, another leg or
/// length, or a checksum that does not fit.
void verify(const HaloTrailer& trailer, std::span<const std::byte> message, std::uint64_t sequence, int leg,
            const std::string& leg_name, int from_rank, int to_rank);

/// A fault to put into the next checked face on a leg from a rank, to see that it is found.
struct HaloFault {
  enum class Kind {
    /// The message does not come, nor the word that a shared face is there.
    lost,
    /// The sequence number is the last one's.
    stale,
    /// One bit is another, in the message or in the reader's memory.
    flipped
  };
  Kind kind;
  int rank, leg;
};

/// For tests and drills: the fault happens once.
void inject_halo_fault(const HaloFault& fault);
/// Takes the fault meant for this face, if there is one.
std::optional<HaloFault::Kind> take_halo_fault(int rank, int leg);

}  // namespace kov
