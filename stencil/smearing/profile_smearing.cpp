// SPDX-License-Identifier: MIT
#include "kov/stencil/smearing/profile_smearing.hpp"

#include "kov/core/base/hash.hpp"

#include <cmath>
#include <optional>

namespace kov {

RealFunction gaussian_profile(double sigma) {
  require(std::isfinite(sigma) && sigma >= 0, "a Gaussian of width", sigma,
          "has no meaning: give a number of lattice units, 0 or more");
  return [sigma](double p2) { return std::exp(-0.5 * p2 * sigma * sigma); };
}

RealFunction node_profile(double sigma, std::optional<double> node) {
  require(std::isfinite(sigma) && sigma > 0, "a profile with a node and the width", sigma,
          "has no meaning: give a positive number of lattice units");
  const double radius = node.value_or(std::sqrt(1.5) * sigma), constant = radius * radius / (sigma * sigma) - 3;
  require(std::isfinite(radius) && radius > 0, "a node at the radius", radius,
          "has no meaning: give a positive number of lattice units");
  return [sigma, constant](double p2) {
    const double u = p2 * sigma * sigma;
    return (u + constant) * std::exp(-0.5 * u);
  };
}

RealFunction theta_profile(double p2_max, double edge) {
  require(std::isfinite(p2_max), "a largest p^2 of", p2_max, "has no meaning: give a finite number");
  require(std::isfinite(edge) && edge > 0, "an edge of", edge,
          "has no Chebyshev series: give the range of p^2 in which the profile may fall, a positive number");
  return [p2_max, edge](double p2) { return 0.5 * std::erfc((p2 - p2_max) / edge); };
}

RealFunction wuppertal_profile(const WuppertalParameters& parameters) {
  require(std::isfinite(parameters.width) && parameters.iterations > 0, "a Wuppertal profile of width",
          parameters.width, "in", parameters.iterations,
          "iterations has no meaning: give a number of lattice units and at least one iteration");
  const double step = parameters.width * parameters.width / (4 * parameters.iterations);
  return [step, n = parameters.iterations](double p2) { return std::pow(1 - step * p2, n); };
}

namespace {

ChebyshevSeries make_series(const Lattice& lattice, const RealFunction& profile, const ProfileParameters& parameters) {
  const Interval bounds = parameters.bounds.value_or(Interval{0, 4.0 * int(parameters.dimensions)});
  lattice.require_same("a smearing with a profile", int(parameters.dimensions), bounds.low, bounds.high,
                       parameters.order.value_or(-1), parameters.accuracy.error, parameters.accuracy.max_order);
  std::optional<ChebyshevSeries> series;
  lattice.comm().agree([&] {
    series = parameters.order ? ChebyshevSeries::of_order(profile, bounds, *parameters.order)
                              : ChebyshevSeries::to_accuracy(profile, bounds, parameters.accuracy);
  });
  const std::vector<double>& c = series->coefficients();
  lattice.require_same("a profile", hash({reinterpret_cast<const char*>(c.data()), c.size() * sizeof(double)}));
  return *series;
}

}  // namespace

template <class T>
ProfileSmearing<T>::ProfileSmearing(const GaugeLinks<T>& links, const RealFunction& profile,
                                    const ProfileParameters& parameters, const LinkForms& forms)
    : laplacian_(links, parameters.dimensions, forms), series_(make_series(links.lattice(), profile, parameters)) {}

template class ProfileSmearing<float>;
template class ProfileSmearing<double>;

}  // namespace kov
