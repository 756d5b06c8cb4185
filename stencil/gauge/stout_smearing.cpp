// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/stout_smearing.hpp"

#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/gauge/su3_maps.hpp"
#include "kov/stencil/observables/observables.hpp"

#include <algorithm>
#include <cmath>

namespace kov {

namespace detail {

template <class T>
struct StoutKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  StapleView<T> staples;
  FieldView<ColorMatrix, T> u, out;
  T rho;
  int halvings;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto around = staples(x);
    const auto link = u(x);
    using R = typename decltype(link)::Real;
    out.set(x, exponential(traceless_antihermitian(R(rho) * (around * adj(link))), halvings) * link);
  }
};

}  // namespace detail

template <class T>
GaugeField<T> stout(const GaugeField<T>& gauge, const StoutSmearing& smearing) {
  require_gauge(gauge);
  gauge.lattice().require_same("stout smearing", smearing.rho, smearing.n,
                               to_text({smearing.directions.begin(), smearing.directions.end()}));
  detail::require_smearing(smearing.rho, "rho", smearing.n, smearing.directions);
  // |A| <= 4/3 |rho| * number of staples in the spectral norm.
  const auto n_directions = std::count(smearing.directions.begin(), smearing.directions.end(), true);
  const double bound = 4.0 / 3 * std::abs(smearing.rho) * 2 * double(n_directions - 1);
  const int halvings = std::max(0, int(std::ceil(std::log2(std::max(bound, 1e-300)))));
  GaugeField<T> from = gauge.alias();
  for (int step = 0; step < smearing.n; ++step) {
    const GaugeField<T> to = from.clone("stout links");
    Staples<T> staples(from, smearing.directions);
    for (int mu = 0; mu < 4; ++mu) {
      if (!smearing.directions[std::size_t(mu)]) continue;
      const Field<ColorMatrix, T> u = from.column(mu), out = to.column(mu);
      staples.for_each_staple("stout", mu, out, [&](const auto& view) {
        return detail::StoutKernel<T>{view, u.view(), out.view(), T(smearing.rho), halvings};
      });
    }
    Exec().fence("stout");
    from = to.alias();
  }
  return smearing.n == 0 ? gauge.clone("stout links") : from.alias();
}

template GaugeField<float> stout(const GaugeField<float>&, const StoutSmearing&);
template GaugeField<double> stout(const GaugeField<double>&, const StoutSmearing&);

}  // namespace kov
