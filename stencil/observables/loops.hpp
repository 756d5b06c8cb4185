// SPDX-License-Identifier: MIT
//
// Planar Wilson loops.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/vectors/reduce.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace kov {

/// The largest sides of the loops; sides of the lattice's extent and longer close over its boundary.
struct LoopSizes {
  /// Along x, y and z.
  int space = 4;
  /// Along t.
  int time = 4;

  /// The number of loops of all sizes in all six planes.
  std::int64_t n_loops() const { return std::int64_t(3) * space * (std::int64_t(time) + space); }
};

/// Means over the lattice of Re tr W / 3, W the product of the links around a rectangle.
class WilsonLoops {
 public:
  /// The planes measured, (mu, nu) with r steps along mu and s along nu: the first three hold t.
  static constexpr int n_planes = 6;
  static constexpr std::array<std::array<int, 2>, n_planes> planes{{{0, 3}, {1, 3}, {2, 3}, {1, 0}, {2, 0}, {2, 1}}};

  explicit WilsonLoops(const LoopSizes& sizes);

  const LoopSizes& sizes() const { return sizes_; }
  /// r steps along mu and s along nu, in either order of the directions.  Throws InputError for a loop that was not
  /// measured.
  double loop(int mu, int nu, int r, int s) const;
  /// r in space and t in time, the mean of the three planes with t.
  double space_time(int r, int t) const;
  /// r and s in space, the mean of the six ordered pairs of directions: symmetric in r and s.
  double space_space(int r, int s) const;
  /// The potential's estimate a V(r) = log(W(r, t) / W(r, t + 1)), in lattice units, t + 1 up to sizes().time; NaN
  /// where the loops are not positive.
  double effective_potential(int r, int t) const;

  /// loop(mu, nu, r, s) of plane k of `planes`, for the function that measures.
  double& value(int k, int r, int s);

 private:
  double value(int k, int r, int s) const { return const_cast<WilsonLoops*>(this)->value(k, r, s); }

  LoopSizes sizes_;
  std::vector<double> values_[n_planes];
};

/// All planar loops up to the sizes.  Smear the links beforehand where an overlap with the ground state is wanted.
/// Collective; in exact mode the same bits on every decomposition.  Throws InputError for sizes below 1 and like
/// plaquettes().
///
/// A line of r links is carried along s by M(x) -> U_nu(x) M(x + nu) U_nu(x + r mu)^+, so a loop costs two products of
/// matrices, a trace (432 flops a site) and one exchange, whatever its size.  after_loop, if any, is called after each
/// of LoopSizes::n_loops().
template <class T>
WilsonLoops wilson_loops(const GaugeField<T>& gauge, const LoopSizes& sizes, SumMode mode = SumMode::chunked,
                         const std::function<void()>& after_loop = {});

}  // namespace kov
