// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/rectangle_force.hpp"

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/vectors/field_ops.hpp"

namespace kov::detail {

/// The plaquette's open forms: components 0 and 1 the upper staples of U_mu(x) and U_nu(x), 2 and 3 what is the lower
/// staple of U_mu at x + nu and of U_nu at x + mu.
template <class T>
struct PlaneStaplesKernel {
  Stencil::View stencil;
  NeighbourView<ColorMatrix, T> u;
  FieldView<ColorMatrix, T> out;
  int mu, nu;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = stencil.at(x);
    const auto a = u(x, mu), b = u(x, nu), c = u.neighbour(x, near, 2 * mu, nu), d = u.neighbour(x, near, 2 * nu, mu);
    const auto far = d * adj(c), corner = adj(a) * b;
    out.set(x, b * far, 0);
    out.set(x, a * adj(far), 1);
    out.set(x, adj(corner) * c, 2);
    out.set(x, corner * d, 3);
  }
};

/// Adds the staples above U_mu(x) and U_nu(x) to their sums; components 0 and 1 of lower are the staples below U_mu at
/// x + nu and U_nu at x + mu.
template <class T>
struct RectangleKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  Stencil::View stencil;
  NeighbourView<ColorMatrix, T> u, plane;
  FieldView<ColorMatrix, T> sum, lower;
  int direction[2];
  T weight;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = stencil.at(x);
    for (int k = 0; k < 2; ++k) {
      const int mu = direction[k], nu = direction[1 - k];
      const auto a = u(x, nu), c = u.neighbour(x, near, 2 * mu, nu);
      using R = typename decltype(u(x, 0))::Real;
      const auto ahead = plane.neighbour(x, near, 2 * mu, 1 - k);       // s+ of U_nu at x + mu
      const auto behind = plane.neighbour(x, near, 2 * mu + 1, 3 - k);  // s- of U_nu at x
      {
        const auto b = u.neighbour(x, near, 2 * nu, mu);
        auto inner = plane.neighbour(x, near, 2 * nu, k);
        multiply_add(inner, R(weight), b);
        auto upper = (a * inner + behind * b) * adj(c);
        upper += (a * b) * adj(ahead);
        upper += sum(x, mu);
        sum.set(x, upper, mu);
      }
      const auto link = u(x, mu), back = adj(a);
      auto inner = plane.neighbour(x, near, 2 * nu + 1, 2 + k);
      multiply_add(inner, R(weight), link);
      auto below = (back * inner + adj(behind) * link) * c;
      below += (back * link) * ahead;
      lower.set(x, below, k);
    }
  }
};

template <class T>
struct AddLowerKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  Stencil::View stencil;
  NeighbourView<ColorMatrix, T> lower;
  FieldView<ColorMatrix, T> sum;
  int direction[2];

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = stencil.at(x);
    for (int k = 0; k < 2; ++k) {
      auto s = sum(x, direction[k]);
      s += lower.neighbour(x, near, 2 * direction[1 - k] + 1, k);
      sum.set(x, s, direction[k]);
    }
  }
};

template <class T>
RectangleForce<T>::RectangleForce(const GaugeField<T>& gauge, double plaquette_weight)
    : gauge_(gauge),
      plaquette_weight_(T(plaquette_weight)),
      stencil_(Stencil::of(gauge.lattice()).view()),
      link_halo_(gauge.lattice(), 4),
      plane_halo_(gauge.lattice(), 4),
      lower_halo_(gauge.lattice(), 2),
      sum_(gauge.lattice(), "sum of staples", 4),
      plane_(gauge.lattice(), "staples of a plane", 4),
      lower_(gauge.lattice(), "lower staples", 2) {}

template <class T>
const Field<ColorMatrix, T>& RectangleForce<T>::staples() const {
  zero(sum_);
  const auto u = link_halo_.exchange(gauge_);
  const SiteRange range = gauge_.range();
  for (int mu = 0; mu < 4; ++mu)
    for (int nu = mu + 1; nu < 4; ++nu) {
      for_each_site("plane_staples", range, PlaneStaplesKernel<T>{stencil_, u, plane_.view(), mu, nu});
      const auto plane = plane_halo_.exchange(plane_);
      for_each_site("rectangles", range,
                    RectangleKernel<T>{stencil_, u, plane, sum_.view(), lower_.view(), {mu, nu}, plaquette_weight_});
      const auto lower = lower_halo_.exchange(lower_);
      for_each_site("add_lower", range, AddLowerKernel<T>{stencil_, lower, sum_.view(), {mu, nu}});
    }
  return sum_;
}

template class RectangleForce<float>;
template class RectangleForce<double>;

}  // namespace kov::detail
