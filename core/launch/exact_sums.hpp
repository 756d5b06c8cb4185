// SPDX-License-Identifier: MIT
//
// Sums of arrays of doubles as integers on a common scale, which no order of adding changes, where kernels run.  Not
// for users.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/comm/comm.hpp"

#include <Kokkos_Macros.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kov::detail {

/// A double in units of 2^-shift, rounded, and what rounding cut off in units of 2^-(shift + 20).
struct ExactTerm {
  std::int64_t whole, rest;
};

/// The units in which n_global numbers, none larger than `largest`, are added: integers of 62 bits hold the sum, and
/// the second one, 20 bits finer, makes it good to a rounding of double.
struct ExactScale {
  static constexpr int finer = 20;

  int shift = 0;
  double scale = 1;  // 2^shift, 0 where there is no such double
  bool is_used = false;

  /// largest: positive and finite.
  static ExactScale of(double largest, std::int64_t n_global) {
    int exponent = 0;
    std::frexp(largest, &exponent);
    const int shift = 61 - (std::ilogb(double(n_global)) + 1) - exponent;
    // Products with a power of two are what ldexp() gives, as long as there is that power.
    return {shift, std::abs(shift) < 1022 ? std::ldexp(1.0, shift) : 0, true};
  }
  KOKKOS_INLINE_FUNCTION ExactTerm term(double v) const {
    const double scaled = scale != 0 ? v * scale : ldexp(v, shift), whole = nearbyint(scaled);
    return {std::int64_t(whole), std::int64_t(nearbyint((scaled - whole) * double(1 << finer)))};
  }
  double sum(const ExactTerm& all) const {
    return std::ldexp(double(all.whole), -shift) + std::ldexp(double(all.rest), -shift - finer);
  }
};

/// The largest |v| of each of n_arrays arrays of n numbers, values[k * n + i] number i of array k, in memory of the
/// default execution space; infinite where one is not finite.  Reads 1 real for each number.  Fences.
std::vector<double> largest_sizes(const double* values, int n_arrays, std::size_t n, const Exec& exec = {});

/// The sums of these arrays over all ranks, n_global numbers with those that are zero left out: the same bits on every
/// decomposition.  largest: of largest_sizes(), on this rank; NaN is the sum where it is infinite.  Reads 1 real for
/// each number.  Collective, fences.
std::vector<double> exact_sums(const Comm& comm, const double* values, int n_arrays, std::size_t n,
                               std::int64_t n_global, std::vector<double> largest, const Exec& exec = {});

}  // namespace kov::detail
