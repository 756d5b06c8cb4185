// SPDX-License-Identifier: MIT
//
// Counter-based random numbers: draw k of stream s at site x is a function of (seed, s, x, k), so a noise source does
// not depend on ranks, threads, lanes or the order of evaluation.
#pragma once

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <Random123/philox.h>
#include <cstdint>

namespace kov {

/// The draws of one site in one stream.  Make one inside a kernel; it is 24 bytes and has no setup.
class SiteRandom {
 public:
  /// seed: the run's; stream: one per use (hit, sweep, ...); site: lexicographic index in the global lattice, below
  /// 2^62.
  KOKKOS_INLINE_FUNCTION SiteRandom(std::uint64_t seed, std::uint32_t stream, std::uint64_t site)
      : key_{{std::uint32_t(seed), std::uint32_t(seed >> 32)}},
        counter_{{0, stream, std::uint32_t(site), std::uint32_t(site >> 32)}} {}

  /// Four independent 32-bit draws: Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
  /// SC11, doi:10.1145/2063384.2063405, from the authors' Random123.
  KOKKOS_FORCEINLINE_FUNCTION r123::Philox4x32::ctr_type next() {
    const auto draw = r123::Philox4x32()(counter_, key_);
    ++counter_[0];
    return draw;
  }

  /// Two uniform draws in [0, 1) with 53 random bits each.
  struct Pair {
    double first, second;
  };
  KOKKOS_INLINE_FUNCTION Pair uniform_pair() {
    const auto b = next();
    return {double((std::uint64_t(b[0]) << 32 | b[1]) >> 11) * 0x1p-53,
            double((std::uint64_t(b[2]) << 32 | b[3]) >> 11) * 0x1p-53};
  }
  KOKKOS_INLINE_FUNCTION double uniform() { return uniform_pair().first; }

  /// Two independent normal draws of variance 1 (Box and Muller).
  KOKKOS_INLINE_FUNCTION Pair normal_pair() {
    const Pair u = uniform_pair();
    const double radius = Kokkos::sqrt(-2 * Kokkos::log(1 - u.first)), angle = 6.283185307179586477 * u.second;
    return {radius * Kokkos::cos(angle), radius * Kokkos::sin(angle)};
  }

 private:
  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_;
};

}  // namespace kov
