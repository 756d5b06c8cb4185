// SPDX-License-Identifier: MIT
#include "kov/stencil/observables/field_strength.hpp"

#include "kov/core/site/su3.hpp"
#include "kov/stencil/launch/run_stencil.hpp"

#include <algorithm>
#include <array>
#include <numbers>

namespace kov {

namespace detail {

/// Two planes (mu, nu) that have no direction in common, turning so that epsilon of the four directions is 1.
struct DualPlanes {
  int mu[2], nu[2];
};
constexpr std::array<DualPlanes, 3> dual_planes{{{{0, 2}, {1, 3}}, {{0, 3}, {2, 1}}, {{0, 1}, {3, 2}}}};

/// The plaquette above x from each of its four corners, so that links which are off SU(3) give what the definition
/// says. Components k and 2 + k belong to plane k: of near the plaquette begun at x and at x + mu, of far at x + nu and
/// x + mu + nu.
template <class T>
struct LeafKernel {
  Stencil::View stencil;
  NeighbourView<ColorMatrix, T> u;
  FieldView<ColorMatrix, T> near_leaf, far_leaf;
  DualPlanes planes;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = stencil.at(x);
    for (int k = 0; k < 2; ++k) {
      const int mu = planes.mu[k], nu = planes.nu[k];
      const auto a = u(x, mu), b = u(x, near(2 * mu), nu), c = adj(u(x, near(2 * nu), mu)), d = adj(u(x, nu));
      const auto ab = a * b, bc = b * c, cd = c * d, da = d * a;
      near_leaf.set(x, ab * cd, k);
      near_leaf.set(x, bc * da, 2 + k);
      far_leaf.set(x, da * bc, k);
      far_leaf.set(x, cd * ab, 2 + k);
    }
  }
};

/// Adds the leaves of x - nu to components 2 + k, which become the two leaves of x + mu on the side of x.
template <class T>
struct LeafPairKernel {
  Stencil::View stencil;
  NeighbourView<ColorMatrix, T> far_leaf;
  FieldView<ColorMatrix, T> pairs;
  DualPlanes planes;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = stencil.at(x);
    for (int k = 0; k < 2; ++k) {
      auto pair = pairs(x, 2 + k);
      pair += far_leaf(x, near(2 * planes.nu[k] + 1), 2 + k);
      pairs.set(x, pair, 2 + k);
    }
  }
};

/// Q(x) of one of the two planes: its leaves on the side of x + mu and, from x - mu, the pair on the other side.
template <class T>
struct CloverView {
  Stencil::View stencil;
  FieldView<ColorMatrix, T> near_leaf;
  NeighbourView<ColorMatrix, T> far_leaf, pairs;
  DualPlanes planes;

  template <class Site, class Near>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, const Near& near, int k) const {
    auto q = near_leaf(x, k);
    q += far_leaf(x, near(2 * planes.nu[k] + 1), k);
    q += pairs(x, near(2 * planes.mu[k] + 1), k);
    return q;
  }
};

/// |F|^2 of both planes and - tr F F~.
template <class T>
struct EnergyAndChargeKernel {
  CloverView<T> clover;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    const auto near = clover.stencil.at(x);
    const auto a = traceless_antihermitian(clover(x, near, 0)), b = traceless_antihermitian(clover(x, near, 1));
    using R = typename decltype(clover.near_leaf(x, 0))::Real;
    const R sixteenth(1.0 / 16);  // each is 4 F
    return Values<R, 3>{{sixteenth * norm2(a), sixteenth * norm2(b), sixteenth * real_trace_adj(a, b)}};
  }
};

template <class T>
struct StoreFieldStrengthKernel {
  CloverView<T> clover;
  FieldView<ColorMatrix, T> out;
  int component[2];
  T sign[2];
  bool traceless;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = clover.stencil.at(x);
    for (int k = 0; k < 2; ++k) {
      const auto q = clover(x, near, k);
      using R = typename decltype(clover.near_leaf(x, 0))::Real;
      if (traceless)
        out.set(x, R(sign[k] / 4) * traceless_antihermitian(q), component[k]);
      else
        out.set(x, R(sign[k] / 8) * (q - adj(q)), component[k]);
    }
  }
};

/// What the clovers of two planes after the others are made in: two fields of four matrices.
template <class T>
class CloverLeaves {
 public:
  explicit CloverLeaves(const Lattice& lattice)
      : stencil_(Stencil::of(lattice).view()),
        two_(halo_for<ColorMatrix, T>(lattice, 2, {.legs = backward_legs})),
        four_(lattice, 4, {.legs = backward_legs}),
        pairs_(lattice, "clover leaves", 4),
        far_(lattice, "clover leaves", 4) {}

  const Lattice& lattice() const { return pairs_.lattice(); }

  /// The links and those of their neighbours, for of().  Valid until they change.  Collective.
  NeighbourView<ColorMatrix, T> links(const GaugeField<T>& gauge) const {
    return halo_for<ColorMatrix, T>(gauge.lattice(), 4, {.legs = forward_legs}).exchange(gauge);
  }

  /// Valid until the next call.  Collective.
  CloverView<T> of(const NeighbourView<ColorMatrix, T>& links, const DualPlanes& planes) const {
    for_each_site("clover_leaves", pairs_.range(), LeafKernel<T>{stencil_, links, pairs_.view(), far_.view(), planes});
    const auto far = four_.exchange(far_);
    for_each_site("clover_leaf_pairs", pairs_.range(), LeafPairKernel<T>{stencil_, far, pairs_.view(), planes});
    return {stencil_, pairs_.view(), far, two_.exchange(pairs_.components(2, 2)), planes};
  }

 private:
  Stencil::View stencil_;
  const Halo<ColorMatrix, T>& two_;
  Halo<ColorMatrix, T> four_;  // its own, because the links' halo is in use
  Field<ColorMatrix, T> pairs_, far_;
};

}  // namespace detail

template <class T>
Field<ColorMatrix, T> field_strength(const GaugeField<T>& gauge, FieldStrengthTrace trace) {
  require_gauge(gauge);
  const Field<ColorMatrix, T> out(gauge.lattice(), "field strength", 6);
  const detail::CloverLeaves<T> leaves(gauge.lattice());
  const auto links = leaves.links(gauge);
  for (const detail::DualPlanes& planes : detail::dual_planes) {
    detail::StoreFieldStrengthKernel<T> kernel{
        leaves.of(links, planes), out.view(), {}, {}, trace == FieldStrengthTrace::removed};
    for (int k = 0; k < 2; ++k) {
      const int low = std::min(planes.mu[k], planes.nu[k]), high = std::max(planes.mu[k], planes.nu[k]);
      kernel.component[k] = low == 0 ? high - 1 : low + high;
      kernel.sign[k] = planes.mu[k] < planes.nu[k] ? T(1) : T(-1);
    }
    for_each_site("field_strength", out.range(), kernel);
  }
  Exec().fence("field strength");
  return out;
}

template <class T>
FieldStrengthMeasurement<T>::FieldStrengthMeasurement(const Lattice& lattice)
    : leaves_(std::make_shared<const detail::CloverLeaves<T>>(lattice)) {}

template <class T>
FieldStrengthAverages FieldStrengthMeasurement<T>::operator()(const GaugeField<T>& gauge, SumMode mode) const {
  require_gauge(gauge);
  const Lattice& lattice = gauge.lattice();
  require(lattice == leaves_->lattice(), "the field strength was prepared for the lattice",
          to_string(leaves_->lattice().extent()), "and the links are on another one: prepare it for theirs");
  const double sites = double(lattice.volume());
  FieldStrengthAverages result;
  const auto links = leaves_->links(gauge);
  double charge = 0;
  for (const detail::DualPlanes& planes : detail::dual_planes) {
    const auto sum = sum_sites<3>("energy_and_charge", lattice, Subset::all,
                                  detail::EnergyAndChargeKernel<T>{leaves_->of(links, planes)}, mode);
    for (int k = 0; k < 2; ++k)
      (planes.mu[k] == 3 || planes.nu[k] == 3 ? result.temporal_energy : result.spatial_energy) += sum[k] / sites;
    charge += sum[2];
  }
  using std::numbers::pi;
  result.charge = charge / (4 * pi * pi);
  return result;
}

template <class T>
FieldStrengthAverages field_strength_averages(const GaugeField<T>& gauge, SumMode mode) {
  require_gauge(gauge);
  return FieldStrengthMeasurement<T>(gauge.lattice())(gauge, mode);
}

double plaquette_energy(const Plaquettes& plaquettes) {
  double sum = 0;
  for (const double plane : plaquettes.planes) sum += 1 - plane;
  return 6 * sum;
}

template Field<ColorMatrix, float> field_strength(const GaugeField<float>&, FieldStrengthTrace);
template Field<ColorMatrix, double> field_strength(const GaugeField<double>&, FieldStrengthTrace);
template class FieldStrengthMeasurement<float>;
template class FieldStrengthMeasurement<double>;
template FieldStrengthAverages field_strength_averages(const GaugeField<float>&, SumMode);
template FieldStrengthAverages field_strength_averages(const GaugeField<double>&, SumMode);

}  // namespace kov
