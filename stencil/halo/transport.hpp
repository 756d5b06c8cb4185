// SPDX-License-Identifier: MIT
//
// HaloTransport: how packed faces get to the ranks that read them.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/comm/comm.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kov::detail {

/// A face as transports see it: bytes that one rank packs and another reads.  Face f of all ranks is the same leg, so
/// that what rank a sends to b as its face f arrives at b as b's face f.
struct TransportFace {
  int leg, to_rank, from_rank;
  /// Of the even sites and of the odd ones, which follow them.
  std::array<std::size_t, 2> bytes;
  /// Where the face from from_rank arrives in the memory of the halo.
  std::size_t landing;
  /// Of the message from from_rank, for errors.
  std::string name;

  /// The part of a face, which begins at `first`, that an exchange of a subset brings.
  std::span<std::byte> part(std::byte* first, Subset subset) const {
    return {first + (subset == Subset::odd ? bytes[0] : 0),
            (subset == Subset::odd ? 0 : bytes[0]) + (subset == Subset::even ? 0 : bytes[1])};
  }
};

/// What the steps of one exchange have in common, on all ranks.
struct HaloTurn {
  /// Counts from 1.
  std::uint64_t sequence;
  Subset subset;
  double timeout_seconds;
};

/// Brings faces from the rank that packs them to the rank that reads them, through memory of its own.  An exchange is
///
///     await_places(turn, exec)     until place() may be written
///     ... kernels on exec write each face at its place(turn) ...
///     packed(turn, exec)           what has to follow them on exec
///     ... exec.fence() ...
///     publish(turn, faces)         their readers learn that they are there
///     await(turn, exec)            until all faces of this rank are in halo(turn)
///     ... kernels on exec read them ...
///
/// Exchanges take turns between n_halos() halos: with two of them, the places of an exchange are free once all readers
/// are through with the exchange before the last, and nobody waits for readers of the last one.
///
/// The checks of halo_check, and the faults that drills inject, work on places and halos alone, so that each transport
/// has them.
class HaloTransport {
 public:
  HaloTransport() = default;
  virtual ~HaloTransport() = default;
  HaloTransport(const HaloTransport&) = delete;
  HaloTransport& operator=(const HaloTransport&) = delete;

  /// How faces travel, the same on all ranks: "staged", "shared 3 of 8".
  virtual std::string name() const = 0;
  /// How many faces of this rank its kernels write into memory of their readers.
  virtual int n_written_remotely() const { return 0; }

  virtual std::size_t n_halos() const = 0;
  /// The memory of a halo, where kernels run.
  virtual std::byte* halo(std::size_t h) const = 0;
  /// Where kernels write face f for an exchange that fills halo h: its even sites, then its odd ones.
  virtual std::byte* place(std::size_t h, std::size_t f) const = 0;

  /// The halo that an exchange fills.
  std::size_t halo_of(const HaloTurn& turn) const { return std::size_t(turn.sequence % n_halos()); }

  /// Kernels that read halos of earlier exchanges come before this on exec.
  virtual void await_places(const HaloTurn&, const Exec&) {}
  virtual void packed(const HaloTurn&, const Exec&) {}
  virtual void publish(const HaloTurn& turn, std::span<const std::size_t> faces) = 0;
  /// Throws CommError, with the name of the face, for one that does not come in time.
  virtual void await(const HaloTurn& turn, const Exec& exec) = 0;
};

/// The transport that the options ask for, of halos of so many bytes.  n_halos: how many may take turns where readers
/// would have to be waited for.  Collective.
std::unique_ptr<HaloTransport> make_transport(const Comm& comm, HaloOptions::Transport transport,
                                              const std::vector<TransportFace>& faces, std::size_t halo_bytes,
                                              std::size_t n_halos);

}  // namespace kov::detail
