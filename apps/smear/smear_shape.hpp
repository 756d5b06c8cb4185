// SPDX-License-Identifier: MIT
//
// The shape of a smeared source on one time slice: along a line, in a plane, by distance and by momentum.
#pragma once

#include "apps/files/measurement.hpp"
#include "kov/core/field/field.hpp"

#include <complex>
#include <vector>

namespace kov::app {

/// All numbers of a one-column spinor field on a time slice, on every rank.
class SliceShape {
 public:
  /// midpoint: a global coordinate, whose time is the slice.  Collective.
  SliceShape(const SpinorField<double>& psi, const Coord& midpoint);

  /// |psi(x)|, the norm over spin and colour.
  double norm(const Coord& x) const;

  /// sqrt(<r^2>) with weight |psi|^2, r the shortest distance from the midpoint.
  double radius() const;
  /// x, |psi| along direction mu through the midpoint.
  ColumnTable line(int mu) const;
  /// x, y, |psi| in the plane of the midpoint's z, x fastest.
  ColumnTable plane() const;
  /// r, the mean of |psi| over all sites at that distance from the midpoint, their number; by r, without sites that are
  /// further than half an extent in some direction.
  ColumnTable radial() const;
  /// n and |sum_x e^{-2 pi i n.x / L} psi(x)| for the momenta with integers n along direction mu and those of `others`
  /// in the other two, n from -L/2 + 1 to L/2.
  ColumnTable spectrum(int mu, const std::array<int, 3>& others) const;

 private:
  static constexpr std::size_t n = 12;
  const std::complex<double>* at(const Coord& x) const;

  Coord extent_, midpoint_;
  std::vector<std::complex<double>> psi_;
};

}  // namespace kov::app
