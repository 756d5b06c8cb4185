// SPDX-License-Identifier: MIT
//
// Staples of plaquettes and 2 x 1 rectangles, plane by plane, from nearest neighbours alone.
#pragma once

#include "kov/core/site/su3.hpp"
#include "kov/stencil/halo/halo.hpp"

namespace kov::detail {

/// Component mu of staples() is k times the plaquette staples of U_mu(x) plus its rectangle staples.
///
/// The rectangles at a link are made of the plaquette staples s+ (above) and s- (below) of its plane's links:
///   U_nu(x) s+_mu(x + nu) U_nu(x + mu)^+ + U_nu(x) U_mu(x + nu) s+_nu(x + mu)^+ + s-_nu(x) U_mu(x + nu) U_nu(x + mu)^+
/// above the link (s_nu those of U_nu on the sides of +mu and -mu), and as many below it, which are computed where
/// they start and fetched.  26 products of matrices a site and plane.
template <class T>
class RectangleForce {
 public:
  RectangleForce(const GaugeField<T>& gauge, double plaquette_weight);

  /// Of the links as they are now.  Valid until the next call.  Collective.
  const Field<ColorMatrix, T>& staples() const;

 private:
  GaugeField<T> gauge_;
  T plaquette_weight_;
  Stencil::View stencil_;
  Halo<ColorMatrix, T> link_halo_, plane_halo_, lower_halo_;
  Field<ColorMatrix, T> sum_, plane_, lower_;
};

}  // namespace kov::detail
