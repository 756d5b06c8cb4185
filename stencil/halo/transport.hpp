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
  /// The bytes of the even sites and of the odd ones, which follow them.
  std::array<std::size_t, 2> bytes;
  /// Where the face from from_rank arrives in the memory of the halo.
  std::size_t landing;
  /// The name of the message from from_rank, for errors.
  std::string name;

  /// The part of a face that an exchange of a subset transfers; the face begins at `first`.
  std::span<std::byte> part(std::byte* first, Subset subset) const {
    return {first + (subset == Subset::odd ? bytes[0] : 0),
            (subset == Subset::odd ? 0 : bytes[0]) + (subset == Subset::even ? 0 : bytes[1])};
  }
};

/// The parameters of one exchange, the same for all its steps and on all ranks.
struct HaloTurn {
  /// Counts from 1.
  std::uint64_t sequence;
  Subset subset;
  double timeout_seconds;
};

/// Delivers faces from the rank that packs them to the rank that reads them, in memory that the transport owns.  An
/// exchange is
///
///     await_places(turn, exec)     waits until the faces' places may be written
///     ... kernels on exec write each face at its place() ...
///     packed(turn, exec)           launches on exec what must follow these kernels
///     ... exec.fence() ...
///     publish(turn, faces)         sends the faces, or tells their readers that they are complete
///     await(turn, exec)            waits until all faces for this rank are in its halo
///     ... kernels on exec read them ...
///
/// Exchanges alternate between n_halos() halos.  With two, an exchange may write as soon as all readers have finished
/// with the exchange before the last; nobody waits for readers of the last one.
///
/// The checks and injected faults of halo_check.hpp use only places and halos, so they work on every transport.
class HaloTransport {
 public:
  HaloTransport() = default;
  virtual ~HaloTransport() = default;
  HaloTransport(const HaloTransport&) = delete;
  HaloTransport& operator=(const HaloTransport&) = delete;

  /// How faces travel, the same on all ranks: "staged", "shared 3 of 8".
  virtual std::string name() const = 0;
  /// How many faces this rank's kernels write directly into their readers' memory.
  virtual int n_written_remotely() const { return 0; }

  virtual std::size_t n_halos() const = 0;
  /// The memory of a halo, for use in kernels.
  virtual std::byte* halo(std::size_t h) const = 0;
  /// Where kernels write face f for an exchange that fills halo h: its even sites, then its odd ones.
  virtual std::byte* place(std::size_t h, std::size_t f) const = 0;

  /// The halo that an exchange fills.
  std::size_t halo_of(const HaloTurn& turn) const { return std::size_t(turn.sequence % n_halos()); }

  /// To be called after kernels that read halos of earlier exchanges were launched on exec.
  virtual void await_places(const HaloTurn&, const Exec&) {}
  virtual void packed(const HaloTurn&, const Exec&) {}
  virtual void publish(const HaloTurn& turn, std::span<const std::size_t> faces) = 0;
  /// Throws CommError, with the name of the face, if a face does not arrive in time.
  virtual void await(const HaloTurn& turn, const Exec& exec) = 0;
};

/// The transport that the options ask for.  halo_bytes: of one halo; n_halos: between how many halos a transport may
/// alternate to avoid waiting for readers.  Collective.
std::unique_ptr<HaloTransport> make_transport(const Comm& comm, ExchangeOptions::Transport transport,
                                              const std::vector<TransportFace>& faces, std::size_t halo_bytes,
                                              std::size_t n_halos);

}  // namespace kov::detail
