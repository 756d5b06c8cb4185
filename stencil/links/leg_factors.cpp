// SPDX-License-Identifier: MIT
#include "kov/stencil/links/leg_factors.hpp"

#include <cmath>
#include <cstdlib>

namespace kov::detail {

namespace {

/// e^{i n angle}, exact for angles 0, pi and -pi.
std::complex<double> turned(double angle, int n) {
  if (n == 0 || angle == 0) return 1;
  if (std::abs(std::abs(angle) - std::numbers::pi) < 1e-15) return n % 2 == 0 ? 1 : -1;
  return std::polar(1.0, n * angle);
}

}  // namespace

template <class T>
std::vector<T> crossing_phases(const Stencil& stencil, const BoundaryAngles& boundary, int lanes) {
  const auto& windings = stencil.windings();
  const std::size_t n_lanes = std::size_t(lanes), there = std::size_t(stencil.winding_lanes()),
                    n_crossings = windings.size() / there;
  std::vector<T> all(n_crossings * 2 * n_lanes);
  for (std::size_t c = 0; c < n_crossings; ++c)
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
      const Coord& w = windings[c * there + (there > 1 ? lane : 0)];
      std::complex<double> z = 1;
      for (std::size_t mu = 0; mu < 4; ++mu) z *= turned(boundary.angle[mu], w[mu]);
      all[2 * c * n_lanes + lane] = T(z.real());
      all[(2 * c + 1) * n_lanes + lane] = T(z.imag());
    }
  return all;
}

template <class T>
void set_leg_factors(LegFactorView<T>& view, const Stencil& stencil, const LegFactors& factors) {
  const auto& legs = stencil.legs();
  require(legs.size() <= std::size_t(view.max_legs), "links for", legs.size(), "legs were asked for, but",
          view.max_legs, "is the limit: make several operators");
  for (std::size_t l = 0; l < legs.size(); ++l) {
    std::complex<double> z = 1;
    for (std::size_t mu = 0; mu < 4; ++mu)
      for (int k = 0; k < std::abs(legs[l][mu]); ++k)
        z *= legs[l][mu] > 0 ? factors.direction[mu] : std::conj(factors.direction[mu]);
    view.of_leg[l] = {T(z.real()), T(z.imag())};
    view.is_real = view.is_real && z.imag() == 0;
    if (z != 1.0) view.scaled |= 1u << l;
    for (std::size_t mu = 0; mu < 4; ++mu)
      if (legs[l][mu] != 0 && factors.boundary.angle[mu] != 0) {
        view.phased |= 1u << l;
        view.is_real = view.is_real && turned(factors.boundary.angle[mu], 1).imag() == 0;
      }
  }
  if (factors.time_links == TimeLinks::any) return;
  require(stencil.is_nearest() && legs.size() == 8,
          "links in time can be known to be 1 for nearest neighbours alone: leave LegFactors::time_links at any");
  const std::size_t lanes = std::size_t(stencil.winding_lanes());
  for (std::size_t l = 6; l < 8; ++l) {
    if ((view.scaled >> l & 1) == 0) view.unit |= 1u << l;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if (stencil.windings()[(l + 1) * lanes + lane][3] != 0) view.winding |= 1u << l;
  }
}

template std::vector<float> crossing_phases(const Stencil&, const BoundaryAngles&, int);
template std::vector<double> crossing_phases(const Stencil&, const BoundaryAngles&, int);
template void set_leg_factors(LegFactorView<float>&, const Stencil&, const LegFactors&);
template void set_leg_factors(LegFactorView<double>&, const Stencil&, const LegFactors&);

}  // namespace kov::detail
