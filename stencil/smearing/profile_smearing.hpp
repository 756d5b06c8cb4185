// SPDX-License-Identifier: MIT
//
// Smearing with any profile F(p^2) of the covariant lattice momentum p^2 = -Laplacian: Gaussians, radial nodes, the
// projection to low momenta that distillation is made of, or a user's own.
#pragma once

#include "kov/stencil/functions/laplacian_series.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"

#include <optional>

namespace kov {

/// exp(-p^2 sigma^2 / 2): in space exp(-r^2 / (2 sigma^2)), up to its norm.  Throws InputError unless sigma is a number
/// of lattice units, 0 or more.
RealFunction gaussian_profile(double sigma);

/// (p^2 sigma^2 - 3 + (node / sigma)^2) exp(-p^2 sigma^2 / 2): in three dimensions (node^2 - r^2) / sigma^2 times the
/// Gaussian, a wave function with one radial node.  node = sqrt(3/2) sigma (default) is the 2S state of the harmonic
/// oscillator, orthogonal to the Gaussian of the same sigma.  Throws InputError for a sigma or a node that is not
/// positive.
RealFunction node_profile(double sigma, std::optional<double> node = {});

/// theta(p2_max - p^2), its edge rounded: erfc((p^2 - p2_max) / edge) / 2, which is 1 - 1e-12 and 1e-12 at 5 edges from
/// p2_max.  Where the eigenvalues of -Laplacian leave that much room it is the projection on the modes below, the
/// smearing operator of distillation; far above 4 d it is 1, a point.  Throws InputError unless edge > 0.
RealFunction theta_profile(double p2_max, double edge);

/// (1 - w^2 p^2 / (4 N))^N, what WuppertalSmearing computes: a series of order N has it exactly.
RealFunction wuppertal_profile(const WuppertalParameters& parameters);

/// How a profile is approximated.
struct ProfileParameters {
  /// Of the series, if its order is absent.
  ChebyshevAccuracy accuracy = {};
  /// The order of the series.  Absent: the lowest one with the wanted accuracy.
  std::optional<int> order = {};
  /// Of the Laplacian.  space: every time slice is smeared by itself.
  Dimensions dimensions = Dimensions::space;
  /// Bounds of the spectrum of -Laplacian.  Absent: 0 to 4 d, which holds for all unitary links.  What
  /// spectral_bounds() finds is narrower on rough links and saves orders.
  std::optional<Interval> bounds = {};
};

/// out = F(-Laplacian) in, for sources and sinks alike, of one column or of twelve in one sweep of the links; with
/// momentum_factors() of momentum_smearing.hpp, F of (p - k)^2.
template <class T>
class ProfileSmearing {
 public:
  /// forms: {.columns = true} if it will be applied to columns in lanes.  Throws like ChebyshevSeries.
  ProfileSmearing(const GaugeLinks<T>& links, const RealFunction& profile, const ProfileParameters& parameters = {},
                  const LinkForms& forms = {});

  /// The series that approximates the profile, with its order(), error() and interval().
  const ChebyshevSeries& series() const { return series_; }
  const Lattice& lattice() const { return laplacian_.lattice(); }

  /// out = smeared in, every component, on full fields of Spinor or ColorVector; in may be out.  Throws InputError when
  /// the shapes differ.  Ordered on exec.  See apply_laplacian_series().
  template <template <class> class SiteT, class Lanes>
  void apply(const Field<SiteT, T, Lanes>& in, const Field<SiteT, T, Lanes>& out, const Exec& exec = {}) const {
    apply_laplacian_series(series_, laplacian_, in, out, exec);
  }

  /// A new field with the smeared components of in.
  template <template <class> class SiteT, class Lanes>
  Field<SiteT, T, Lanes> operator()(const Field<SiteT, T, Lanes>& in, const Exec& exec = {}) const {
    const Field<SiteT, T, Lanes> out = in.like("smeared " + in.name());
    apply(in, out, exec);
    return out;
  }

 private:
  CovariantLaplacian<T> laplacian_;
  ChebyshevSeries series_;
};

/// -Laplacian on fields of SiteT, as series and bounds take it.
template <template <class> class SiteT, class Lanes = SiteLanes, class T>
Operator<Field<SiteT, T, Lanes>> momentum_squared(const CovariantLaplacian<T>& laplacian) {
  using F = Field<SiteT, T, Lanes>;
  return [laplacian](const F& in, const F& out, const Exec& exec) {
    laplacian.combine(2 * int(laplacian.dimensions()), -1, in, out, exec);
  };
}

}  // namespace kov
