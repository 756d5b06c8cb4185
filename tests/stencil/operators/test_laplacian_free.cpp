// SPDX-License-Identifier: MIT
//
// The Laplacian on unit links: every plane wave of the lattice is an eigenvector, with the eigenvalue of the formula.
#include "kov/stencil/operators/adjoint_laplacian.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/support/lattices.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

namespace kov {
namespace {

using reference::for_each_coordinate;
using reference::GlobalArray;
using reference::Number;

using std::numbers::pi;

/// p_mu = (2 pi n_mu + angle_mu) / L_mu.
std::array<double, 4> momentum(const Coord& n, const Coord& extent, const std::array<double, 4>& angle) {
  std::array<double, 4> p;
  for (std::size_t mu = 0; mu < 4; ++mu) p[mu] = (2 * pi * n[mu] + angle[mu]) / extent[mu];
  return p;
}

/// e^{i p.x} times a different number for each component.
GlobalArray plane_wave(const Coord& extent, const std::array<double, 4>& p, int n_complex) {
  GlobalArray wave(extent, n_complex);
  for_each_coordinate(extent, [&](const Coord& x) {
    double angle = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) angle += p[mu] * x[mu];
    for (int a = 0; a < n_complex; ++a) wave.at(x)[a] = Number(1, 0.3 * a) * std::polar(1.0, angle);
  });
  return wave;
}

template <template <class> class SiteT, class T, class Laplacian>
void check_every_mode(const Laplacian& laplacian, Dimensions dimensions, const std::array<double, 4>& angle) {
  const Lattice& lattice = laplacian.lattice();
  const Field<SiteT, T> in(lattice, "in"), out(lattice, "out");
  for_each_coordinate(lattice.extent(), [&](const Coord& n) {
    const auto p = momentum(n, lattice.extent(), angle);
    double eigenvalue = 0;
    for (std::size_t mu = 0; mu < std::size_t(dimensions); ++mu)
      eigenvalue -= 4 * std::sin(0.5 * p[mu]) * std::sin(0.5 * p[mu]);
    GlobalArray wave = plane_wave(lattice.extent(), p, SiteT<T>::n_complex);
    load(in, wave);
    for (Number& z : wave.data) z *= eigenvalue;
    laplacian.apply(in, out);
    EXPECT_LT(max_difference(out, wave), 200 * std::numeric_limits<T>::epsilon() * 4) << "momentum " << to_string(n);
  });
}

TEST(FreeLaplacian, HasEveryPlaneWaveAsAnEigenvector) {
  const Lattice lattice(Comm::world(), {4, 2, 6, 4});
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, reference::unit_gauge(lattice.extent()));
  for (const std::array<double, 4>& angle : {std::array<double, 4>{0, 0, 0, 0}, {0.4, -1, 2, pi}})
    for (const Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
      check_every_mode<ColorVector, double>(
          CovariantLaplacian<double>(GaugeLinks<double>(gauge, BoundaryAngles{angle}), d), d, angle);
      check_every_mode<Spinor, float>(CovariantLaplacian<float>(GaugeLinks<float>(gauge, BoundaryAngles{angle}), d), d,
                                      angle);
    }
}

TEST(FreeLaplacian, OfOctetsHasThemToo) {
  const Lattice lattice(Comm::world(), {4, 2, 6, 4});
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, reference::unit_gauge(lattice.extent()));
  for (const Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
    check_every_mode<AdjointVector, double>(AdjointLaplacian<double>(GaugeLinks<double>(gauge), d), d, {});
    check_every_mode<AdjointVector, float>(AdjointLaplacian<float>(GaugeLinks<float>(gauge), d), d, {});
  }
}

}  // namespace
}  // namespace kov
