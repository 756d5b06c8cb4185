// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/staples.hpp"

#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/observables/observables.hpp"

#include <algorithm>
#include <cmath>

namespace kov {

namespace detail {

/// Component k of out: U_nu(x)^+ U_mu(x) U_nu(x + mu) for the k-th direction nu.
template <class T>
struct LowerStapleKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  StapleView<T> staples;
  FieldView<ColorMatrix, T> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = staples.stencil.at(x);
    const int mu = staples.mu;
    if (staples.streaming) prefetch(x);
    for (int nu = 0, k = 0; nu < 4; ++nu) {
      if (nu == mu || !staples.along[nu]) continue;
      out.set(x, adj(staples.u[nu](x)) * (staples.u[mu](x) * staples.u[nu].neighbour(x, near, 2 * mu, 0)), k++);
    }
  }

  /// Prefetches what the next site will read.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] Site x) const {
    if constexpr (!std::is_same_v<Site, LaneSite>) {
      const Site after = site_after(x);
      const auto next = staples.stencil.at(after);
      staples.u[staples.mu].field().prefetch(after.outer, 0);
      for (int nu = 0; nu < 4; ++nu) {
        if (nu == staples.mu || !staples.along[nu]) continue;
        staples.u[nu].field().prefetch(after.outer, 0);
        prefetch_neighbour(staples.u[nu], next, 2 * staples.mu, 0);
      }
    }
  }
};

}  // namespace detail

template <class T>
Staples<T>::Staples(const GaugeField<T>& gauge, const Directions& directions)
    : gauge_(gauge),
      lower_(gauge.lattice(), "lower staples", 3),
      lower_halo_(gauge.lattice(), 3, {.legs = backward_legs}) {
  require_gauge(gauge);
  view_.streaming = worth_streaming(2 * gauge.bytes());
  for (int mu = 0; mu < 4; ++mu) {
    view_.along[mu] = directions[std::size_t(mu)];
    // U_mu is read where another direction nu has taken one step.
    std::vector<int> legs = forward_legs;
    std::erase(legs, 2 * mu);
    halo_[mu] = Halo<ColorMatrix, T>(gauge.lattice(), 1, {.legs = legs, .other_parity = HaloChoice::OtherParity::kept});
    changed(mu, Subset::all);
  }
}

template <class T>
void Staples<T>::changed(int mu, Subset parity) {
  const Field<ColorMatrix, T> links = gauge_.column(mu);
  // The halo keeps the other parity from before.
  const auto neighbours = halo_[mu].exchange(parity == Subset::all ? links.alias() : links.half(parity));
  view_.u[mu] = {links.view(), neighbours.halo()};
}

/// Of the four links that these read beyond their sites one has changed since the last call, and changed() has fetched
/// it by itself: no exchange is left for this launch to overlap with.
template <class T>
GaugeField<T> Staples<T>::lower_staples(int mu, Subset parity) {
  view_.mu = mu;
  const GaugeField<T> to = parity == Subset::all ? lower_.alias() : lower_.half(opposite(parity));
  with_view<StencilForms::nearest>(Stencil::of(gauge_.lattice()), [&](const auto& stencil) {
    StapleView<T> staples = view_;
    staples.stencil = stencil;
    for_each_site("lower_staples", to.range(), detail::LowerStapleKernel<T>{staples, to.view()});
  });
  return to;
}

template class Staples<float>;
template class Staples<double>;

namespace detail {

void require_smearing(double strength, const char* what, int n, const Directions& directions) {
  require(std::isfinite(strength), what, "is", strength, "and must be a finite number");
  require(n >= 0, n, "steps of smearing were asked for: it must be 0 or more");
  const auto count = std::count(directions.begin(), directions.end(), true);
  require(count >= 2, "smearing in", count, "directions has no staples: give two or more");
}

}  // namespace detail

}  // namespace kov
