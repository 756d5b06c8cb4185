// SPDX-License-Identifier: MIT
//
// FastDivisor: division by a number known at set-up.
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace kov {

/// n / divisor as one multiplication (Granlund and Montgomery, PLDI 1994), for n and divisor below 2^31, divisor > 0.
struct FastDivisor {
  std::uint32_t divisor = 1, multiplier = 1, shift = 0;

  FastDivisor() = default;
  /// Divides by d, from 1 to 2^31 - 1.
  explicit FastDivisor(std::uint32_t d) : divisor(d), shift(0) {
    while ((std::uint64_t(1) << shift) < d) ++shift;
    multiplier = std::uint32_t((((std::uint64_t(1) << shift) - d) << 32) / d + 1);
  }
  /// n / divisor, rounded down, for n < 2^31.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator()(std::uint32_t n) const {
    const std::uint32_t high = std::uint32_t((std::uint64_t(n) * multiplier) >> 32);
    return (high + n) >> shift;
  }
};

}  // namespace kov
