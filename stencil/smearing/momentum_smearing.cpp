// SPDX-License-Identifier: MIT
#include "kov/stencil/smearing/momentum_smearing.hpp"

#include "kov/core/launch/for_each_site.hpp"

#include <cmath>

namespace kov {

namespace detail {

template <class T>
struct PhaseKernel {
  FieldView<ColorMatrix, T> in, out;
  Kokkos::Array<Complex<T>, 4> phase;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    for (int mu = 0; mu < 4; ++mu) {
      auto u = in(x, mu);
      using R = typename decltype(u)::Real;
      const Complex<R> z{R(phase[mu].re), R(phase[mu].im)};
      out.set(x, z * u, mu);
    }
  }
};

}  // namespace detail

template <class T>
GaugeField<T> phased_links(const GaugeField<T>& gauge, const std::array<double, 3>& k) {
  require(gauge.n_components() == 4, gauge.name(), "has", gauge.n_components(), "components, a gauge field has 4");
  for (const double component : k)
    require(std::isfinite(component), "the smearing momentum", k[0], k[1], k[2],
            "is not finite: give three numbers in radians per site");
  const GaugeField<T> out = gauge.like("phased " + gauge.name());
  detail::PhaseKernel<T> kernel{gauge.view(), out.view(), {}};
  for (int mu = 0; mu < 4; ++mu) {
    const double angle = mu < 3 ? -k[std::size_t(mu)] : 0;
    kernel.phase[mu] = {T(std::cos(angle)), T(std::sin(angle))};
  }
  for_each_site("phased_links", gauge.range(), kernel);
  return out;
}

template GaugeField<float> phased_links(const GaugeField<float>&, const std::array<double, 3>&);
template GaugeField<double> phased_links(const GaugeField<double>&, const std::array<double, 3>&);

}  // namespace kov
