// SPDX-License-Identifier: MIT
//
// ExchangeOptions: how ranks exchange what lies at the boundaries of their parts of a lattice.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <algorithm>
#include <string>

namespace kov {

/// How ranks exchange the sites at the boundaries of their parts of a lattice.  Fixed with the lattice; the same on all
/// ranks.
struct ExchangeOptions {
  /// When sites are computed that need no message.
  enum class Overlap {
    /// Whichever was faster in the first calls of a kernel.
    tuned,
    /// Messages first, then all sites.
    blocking,
    /// Sites that need no message while messages are on their way, then the others.
    overlapped
  };
  Overlap overlap = Overlap::tuned;
  enum class Wire {
    /// As they are stored.
    full,
    /// Floats: a double loses 29 bits, an error of at most 2^-24 of the number.
    single,
    /// 16-bit integers and, for each site and component, their largest number as a float: each number is off by at most
    /// 2^-16 of that largest one.
    fixed16
  };
  /// The precision in which numbers travel.  Only sites that go in messages are rounded, to nearest, so results then
  /// depend on the decomposition.
  Wire wire = Wire::full;
  enum class Transport {
    /// On CPUs shared; on GPUs device if MPI reports that it accepts device memory, else staged.
    automatic,
    /// Messages through host memory: always possible.
    staged,
    /// MPI is given device memory; on CPUs the same as staged.
    device,
    /// Ranks of one host write into each other's memory and signal through counters in shared memory.  Between hosts,
    /// and on GPUs, the same as staged.
    shared
  };
  /// How sites get to another rank.
  Transport transport = Transport::automatic;
  /// How many first exchanges of every kind carry sequence numbers and checksums, on any transport; -1: all.
  int checked_exchanges = 2;
  /// Seconds after which a message that has not come is an error; 0: never.  The default is 600, or
  /// Comm::default_timeout() if that is less.
  double timeout_seconds = std::min(600.0, Comm::default_timeout());

  /// These options with the transport that `automatic`, or one that this build does not have, means for these
  /// processes.  Throws NotBuilt if device memory is asked for and MPI does not accept it.
  ExchangeOptions resolved(const Comm& comm) const;

  friend bool operator==(const ExchangeOptions&, const ExchangeOptions&) = default;
};

/// All options, "overlap 0 wire 0 ...": to compare them between ranks.
std::string to_string(const ExchangeOptions& options);
/// The name of the enumerator.
std::string to_string(ExchangeOptions::Wire wire);
std::string to_string(ExchangeOptions::Transport transport);

}  // namespace kov
