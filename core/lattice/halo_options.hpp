// SPDX-License-Identifier: MIT
//
// HaloOptions: how neighbours travel between ranks.  They are fixed with a lattice, for all of its halos.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <algorithm>
#include <string>

namespace kov {

/// How neighbours travel between ranks.
struct HaloOptions {
  enum class Overlap {
    /// Whichever was faster in an operator's first calls.
    tuned,
    /// Messages first, then all sites.
    blocking,
    /// Sites whose neighbours are all on this rank while messages are on their way, then the others.
    overlapped
  };
  Overlap overlap = Overlap::tuned;
  enum class Wire {
    /// In the precision of the field: the same bits on every decomposition, but for the hop of 16-bit and 8-bit
    /// spinors.
    full,
    /// Floats: a double loses 29 bits, an error of at most 2^-24 of the number.
    single,
    /// 16-bit integers and, for each site and component, their largest number as a float: each number is off by at most
    /// 2^-16 of that largest one, besides the rounding of the field's own arithmetic.  Halos of Wilson's hop round the
    /// sums of two spins that they hold, those of 16-bit and 8-bit spinors with any wire.
    fixed16
  };
  /// The precision in which vectors (scalars, colour vectors, spinors, adjoint vectors) travel.  Only sites that go in
  /// messages are rounded, to nearest, so results then depend on the decomposition.  Ignored by matrices and by halos
  /// that fix their own precision.
  Wire wire = Wire::full;
  enum class Transport {
    /// On CPUs shared; on GPUs device if MPI reports that it accepts device memory, else staged.
    automatic,
    /// Messages through host memory: always possible.
    staged,
    /// MPI is given device memory; on CPUs the same as staged.  A Lattice throws NotBuilt if MPI does not accept it.
    device,
    /// Ranks of one host write into each other's halos and signal through counters in shared memory.  Between hosts,
    /// and on GPUs, the same as staged.
    shared
  };
  /// How sites get to another rank.
  Transport transport = Transport::automatic;
  /// How many first exchanges of every halo carry sequence numbers and checksums, on any transport; -1: all.
  int checked_exchanges = 2;
  /// Seconds after which a message that has not come is an error; 0: never.  The default is 600, or
  /// Comm::default_timeout() if that is less.
  double timeout_seconds = std::min(600.0, Comm::default_timeout());

  friend bool operator==(const HaloOptions&, const HaloOptions&) = default;
};

/// The name of the enumerator.
std::string to_string(HaloOptions::Wire wire);
std::string to_string(HaloOptions::Transport transport);

}  // namespace kov
