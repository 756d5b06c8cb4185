// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/heatbath.hpp"

#include "kov/core/io/text.hpp"
#include "kov/core/lattice/global_site.hpp"
#include "kov/core/launch/count_sites.hpp"
#include "kov/core/site/random.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/gauge/su3_maps.hpp"
#include "kov/stencil/observables/observables.hpp"

#include <cmath>
#include <limits>

namespace kov {

namespace detail {

template <class T>
struct ColdKernel {
  using View = FieldView<ColorMatrix, T>;
  static constexpr bool takes_pairs = View::outers == 2;

  View u;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    for (int mu = 0; mu < 4; ++mu) u.set(x, unit_matrix<typename decltype(u(x, 0))::Real>(), mu);
  }
};

/// one + noise times normal numbers, orthonormalised.  Rows of normal numbers alone are isotropic, and orthonormalising
/// them keeps them so.
template <class T>
struct NoisyKernel {
  GlobalSite site;
  std::uint64_t seed;
  double one, noise;
  FieldView<ColorMatrix, T> u;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    SiteRandom random(seed, 0, site.index(x));
    for (int mu = 0; mu < 4; ++mu) {
      ColorMatrix<double> m;
      for (int k = 0; k < 6; ++k) {
        const auto g = random.normal_pair();
        m.z[k] = {noise * g.first + (k == 0 || k == 4 ? one : 0), noise * g.second};
      }
      reunitarise(m);
      ColorMatrix<T> v;
      for (int k = 0; k < 9; ++k) v.z[k] = {T(m.z[k].re), T(m.z[k].im)};
      u.set(x, v, mu);
    }
  }
};

template <class T>
struct StoreStapleKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  StapleView<T> staples;
  FieldView<ColorMatrix, T> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    out.set(x, staples(x));
  }
};

/// U -> g U with g = (r^+ / |r|)^2 in each subgroup, r the part of U staple^+ there: (g r)_0 = r_0.
template <class T>
struct OverrelaxKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  StapleView<T> staples;
  FieldView<ColorMatrix, T> u;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto around = staples(x);
    auto link = u(x);
    using R = typename decltype(link)::Real;
    auto w = link * adj(around);
    for (int k = 0; k < 3; ++k) {
      const Quaternion<R> r = subgroup_part(w, k);
      const R vector2 = r.v[1] * r.v[1] + r.v[2] * r.v[2] + r.v[3] * r.v[3], scalar2 = r.v[0] * r.v[0];
      const R tiny(1e-30f);  // makes the step 1 where the staple does not determine the subgroup element
      const R inverse = R(1) / (scalar2 + vector2 + tiny), both = R(-2) * inverse * r.v[0];
      const Quaternion<R> g{{(scalar2 - vector2 + tiny) * inverse, both * r.v[1], both * r.v[2], both * r.v[3]}};
      multiply_subgroup(link, g, k);
      multiply_subgroup(w, g, k);
    }
    u.set(x, link);
  }
};

/// Proposals in one subgroup of one link before it is left as it is.  Leaving it does not depend on what it is, so the
/// distribution stays exact; with acceptances above a half it happens less than once in 10^30.
inline constexpr int max_proposals = 100;

/// x_0 with the density exp(alpha x_0) sqrt(1 - x_0^2), or 2 when no proposal was accepted.
KOKKOS_INLINE_FUNCTION double draw_scalar(double alpha, SiteRandom& random, int& proposals) {
  for (int k = 0; k < max_proposals; ++k) {
    ++proposals;
    double below_one;  // 1 - x_0
    if (alpha > 1.7) {
      // Kennedy and Pendleton: alpha (1 - x_0) is an exponential plus half the square of a normal number.
      const auto a = random.uniform_pair(), b = random.uniform_pair();
      const double cosine = Kokkos::cos(6.283185307179586477 * a.second);
      below_one = -(Kokkos::log(1 - a.first) + cosine * cosine * Kokkos::log(1 - b.first)) / alpha;
      if (b.second * b.second <= 1 - 0.5 * below_one) return 1 - below_one;
    } else {
      // Creutz: exp(alpha x_0) inverted, accepted with sqrt(1 - x_0^2).
      const auto a = random.uniform_pair();
      below_one = alpha < 1e-9 ? 2 * a.first : -Kokkos::log1p(a.first * Kokkos::expm1(-2 * alpha)) / alpha;
      if (a.second * a.second <= below_one * (2 - below_one)) return 1 - below_one;
    }
  }
  return 2;
}

template <class T>
struct HeatbathKernel {
  GlobalSite site;
  std::uint64_t seed;
  std::uint32_t stream;
  double beta;
  FieldView<ColorMatrix, T> u, staple;

  /// counts: accepted proposals and all of them.
  KOKKOS_FUNCTION void operator()(LaneSite x, Counts<2>& counts) const {
    SiteRandom random(seed, stream, site.index(x));
    ColorMatrix<T> link = u(x);
    ColorMatrix<T> w = link * adj(staple(x));
    for (int k = 0; k < 3; ++k) {
      const Quaternion<T> r = subgroup_part(w, k);
      const double size = Kokkos::sqrt(double(norm2(r)));
      int proposals = 0;
      const double scalar = draw_scalar(beta * 2 / 3 * size, random, proposals);
      counts.of[1] += proposals;
      if (scalar > 1) continue;
      ++counts.of[0];
      // (g r) / |r| = (scalar, vector of any direction).
      const auto angles = random.uniform_pair();
      const double z = 2 * angles.first - 1, phi = 6.283185307179586477 * angles.second;
      const double length = Kokkos::sqrt(Kokkos::max(0.0, 1 - scalar * scalar)),
                   across = length * Kokkos::sqrt(Kokkos::max(0.0, 1 - z * z));
      const Quaternion<T> turned{
          {T(scalar), T(across * Kokkos::cos(phi)), T(across * Kokkos::sin(phi)), T(length * z)}};
      const T inverse = size > 0 ? T(1 / size) : T(0);
      const Quaternion<T> back =
          size > 0 ? Quaternion<T>{{r.v[0] * inverse, -r.v[1] * inverse, -r.v[2] * inverse, -r.v[3] * inverse}}
                   : Quaternion<T>{{T(1), T(0), T(0), T(0)}};
      const Quaternion<T> g = turned * back;
      multiply_subgroup(link, g, k);
      multiply_subgroup(w, g, k);
    }
    reunitarise(link);
    u.set(x, link);
  }
};

/// Separates the chain's random numbers from those of noise sources with the same seed.
constexpr std::uint64_t chain_seed(std::uint64_t seed) { return seed ^ 0x6b6f762d68656174; }

}  // namespace detail

template <class T>
void cold_start(const GaugeField<T>& gauge) {
  require_gauge(gauge);
  for_each_site("cold_start", gauge.range(), detail::ColdKernel<T>{gauge.view()});
}

template <class T>
void hot_start(const GaugeField<T>& gauge, std::uint64_t seed) {
  require_gauge(gauge);
  gauge.lattice().require_same("a hot start", seed);
  const detail::NoisyKernel<T> kernel{GlobalSite(gauge.lattice()), detail::chain_seed(seed), 0, 1, gauge.view()};
  for_each_lane("hot_start", gauge.range(), kernel);
}

template <class T>
void weak_field_start(const GaugeField<T>& gauge, double size, std::uint64_t seed) {
  require_gauge(gauge);
  gauge.lattice().require_same("a weak field", size, seed);
  require(size >= 0 && size <= 1, "a weak field with noise of size", size,
          "is not possible: give a number from 0 to 1, such as 0.1");
  const detail::NoisyKernel<T> kernel{GlobalSite(gauge.lattice()), detail::chain_seed(seed), 1, size, gauge.view()};
  for_each_lane("weak_field_start", gauge.range(), kernel);
}

template <class T>
PureGaugeUpdate<T>::PureGaugeUpdate(const GaugeField<T>& gauge, double beta, std::uint64_t seed,
                                    std::uint32_t first_sweep)
    : gauge_(gauge),
      staple_(gauge.lattice(), "staple"),
      staples_(gauge),
      beta_(beta),
      seed_(seed),
      sweep_(first_sweep) {
  gauge.lattice().require_same("a chain of updates", beta, seed, first_sweep);
  require(std::isfinite(beta) && beta >= 0, "beta is", beta,
          "and must be a finite number, zero or more: about 6 is usual");
}

template <class T>
void PureGaugeUpdate<T>::heatbath() {
  constexpr std::uint32_t last = (std::numeric_limits<std::uint32_t>::max() - 4) / 4;
  require(sweep_ < last, "the chain has", sweep_,
          "sweeps behind it and no streams of random numbers left: start a chain with another seed");
  ++sweep_;  // stream 0 is the hot start's
  for (int mu = 0; mu < 4; ++mu)
    for (const Subset parity : {Subset::even, Subset::odd}) {
      const auto staple = staple_.half(parity), links = gauge_.column(mu).half(parity);
      staples_.for_each_staple("staples", mu, staple, [&](const auto& staples) {
        return detail::StoreStapleKernel<T>{staples, staple.view()};
      });
      const detail::HeatbathKernel<T> kernel{GlobalSite(gauge_.lattice()),
                                             detail::chain_seed(seed_),
                                             4 * sweep_ + std::uint32_t(mu),
                                             beta_,
                                             links.view(),
                                             staple.view()};
      const auto counts = count_lanes<2>("heatbath", links.range(), kernel);
      accepted_ += counts[0];
      proposals_ += counts[1];
      staples_.changed(mu, parity);
    }
}

template <class T>
void PureGaugeUpdate<T>::overrelax() {
  for (int mu = 0; mu < 4; ++mu)
    for (const Subset parity : {Subset::even, Subset::odd}) {
      const auto links = gauge_.column(mu).half(parity);
      staples_.for_each_staple("overrelax", mu, links, [&](const auto& staples) {
        return detail::OverrelaxKernel<T>{staples, links.view()};
      });
      staples_.changed(mu, parity);
    }
}

namespace {
void require_possible(const Lattice& lattice, const QuenchedParameters& parameters, int n_updates) {
  lattice.require_same("a chain of configurations", parameters.beta, parameters.seed, parameters.n_thermalise,
                       parameters.n_between, parameters.overrelaxation_per_heatbath, int(parameters.start), n_updates);
  require(parameters.n_thermalise >= 0 && parameters.n_between > 0 && parameters.overrelaxation_per_heatbath >= 0,
          "a chain was asked for with", parameters.n_thermalise, "updates to thermalise,", parameters.n_between,
          "between and", parameters.overrelaxation_per_heatbath,
          "overrelaxation sweeps in each: these must be 0 or more, 1 or more, 0 or more");
}
}  // namespace

template <class T>
QuenchedEnsemble<T>::QuenchedEnsemble(const GaugeField<T>& gauge, const QuenchedParameters& parameters, int n_updates)
    : parameters_(parameters),
      gauge_(gauge.clone("quenched links")),
      chain_([&] {
        require_possible(gauge.lattice(), parameters, n_updates);
        require(n_updates >= parameters.n_thermalise, "a chain cannot go on after", n_updates,
                "updates: its first configuration comes after", parameters.n_thermalise);
        return PureGaugeUpdate<T>(gauge_, parameters.beta, parameters.seed, std::uint32_t(n_updates));
      }()),
      thermalised_(true) {}

template <class T>
QuenchedEnsemble<T>::QuenchedEnsemble(const Lattice& lattice, const QuenchedParameters& parameters)
    : parameters_(parameters), gauge_(lattice, "quenched links", 4), chain_([&] {
        require_possible(lattice, parameters, 0);
        if (parameters.start == Start::cold)
          cold_start(gauge_);
        else
          hot_start(gauge_, parameters.seed);
        return PureGaugeUpdate<T>(gauge_, parameters.beta, parameters.seed);
      }()) {}

template <class T>
void QuenchedEnsemble<T>::update() {
  chain_.heatbath();
  for (int k = 0; k < parameters_.overrelaxation_per_heatbath; ++k) chain_.overrelax();
}

template <class T>
GaugeField<T> QuenchedEnsemble<T>::next(const std::function<void(int, int)>& progress) {
  const int n = thermalised_ ? parameters_.n_between : parameters_.n_thermalise;
  for (int k = 1; k <= n; ++k) {
    update();
    if (progress) progress(k, n);
  }
  thermalised_ = true;
  return gauge_.clone("quenched links");
}

template <class T>
std::string QuenchedEnsemble<T>::description() const {
  return sentence("quenched Wilson action, beta", exact_text(parameters_.beta), "seed", parameters_.seed,
                  parameters_.start == Start::cold ? "cold" : "hot", "start,", n_updates(), "updates of 1 heatbath and",
                  parameters_.overrelaxation_per_heatbath, "overrelaxation sweeps");
}

template void cold_start(const GaugeField<float>&);
template void cold_start(const GaugeField<double>&);
template void hot_start(const GaugeField<float>&, std::uint64_t);
template void hot_start(const GaugeField<double>&, std::uint64_t);
template void weak_field_start(const GaugeField<float>&, double, std::uint64_t);
template void weak_field_start(const GaugeField<double>&, double, std::uint64_t);
template class PureGaugeUpdate<float>;
template class PureGaugeUpdate<double>;
template class QuenchedEnsemble<float>;
template class QuenchedEnsemble<double>;

}  // namespace kov
