// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/ape_smearing.hpp"

#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/observables/observables.hpp"

#include <algorithm>
#include <cmath>

namespace kov {

namespace detail {

/// out(x) = weight U(x) + staples(x)
template <class T>
struct FuzzyKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  StapleView<T> staples;
  FieldView<ColorMatrix, T> u, out;
  T weight;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    auto v = staples(x);
    using R = typename decltype(v)::Real;
    multiply_add(v, R(weight), u(x));
    out.set(x, v);
  }
};

}  // namespace detail

ApeSmearing ApeSmearing::with_fraction(double fraction, int n, const Directions& directions) {
  require(fraction > 0 && std::isfinite(fraction), "the staples' fraction is", fraction,
          "and must be a positive number: without staples nothing is smeared");
  detail::require_smearing(fraction, "the staples' fraction", n, directions);
  const auto staples = 2 * double(std::count(directions.begin(), directions.end(), true) - 1);
  return {.weight = staples * (1 - fraction) / fraction, .n = n, .directions = directions, .projection = {}};
}

template <class T>
GaugeField<T> ape(const GaugeField<T>& gauge, const ApeSmearing& smearing) {
  require_gauge(gauge);
  gauge.lattice().require_same("APE smearing", smearing.weight, smearing.n,
                               to_text({smearing.directions.begin(), smearing.directions.end()}));
  detail::require_smearing(smearing.weight, "the weight of the link", smearing.n, smearing.directions);
  GaugeField<T> from = gauge.alias();
  const Field<ColorMatrix, T> fuzzy(gauge.lattice(), "link plus staples");
  for (int step = 0; step < smearing.n; ++step) {
    const GaugeField<T> to = from.clone("APE links");
    Staples<T> staples(from, smearing.directions);
    for (int mu = 0; mu < 4; ++mu) {
      if (!smearing.directions[std::size_t(mu)]) continue;
      const Field<ColorMatrix, T> u = from.column(mu);
      staples.for_each_staple("link_plus_staples", mu, fuzzy, [&](const auto& view) {
        return detail::FuzzyKernel<T>{view, u.view(), fuzzy.view(), T(smearing.weight)};
      });
      project_by_trace(to.column(mu), fuzzy, smearing.projection);
    }
    from = to.alias();
  }
  return smearing.n == 0 ? gauge.clone("APE links") : from.alias();
}

template GaugeField<float> ape(const GaugeField<float>&, const ApeSmearing&);
template GaugeField<double> ape(const GaugeField<double>&, const ApeSmearing&);

}  // namespace kov
