// SPDX-License-Identifier: MIT
//
// Phases e^{i p.x} in expressions, computed where they are used and not stored.
#pragma once

#include "kov/core/lattice/momentum.hpp"
#include "kov/stencil/statements/expression.hpp"

namespace kov {

namespace detail {

template <class T>
struct PhaseNode {
  Layout::View layout;
  typename MomentumPhases<T>::View phases;

#if !defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, default_lanes>> operator()(PackSite x, int) const {
    alignas(64) T re[default_lanes], im[default_lanes];
    for (int lane = 0; lane < default_lanes; ++lane) {
      const Complex<T> z = phases(layout.coordinate(x.outer, lane), 0);
      re[lane] = z.re;
      im[lane] = z.im;
    }
    return {Pack<T, default_lanes>::load(re), Pack<T, default_lanes>::load(im)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<Pack<T, 2 * default_lanes>> operator()(PairSite x, int c) const {
    const auto lower = (*this)(x.lower(), c), upper = (*this)(x.upper(), c);
    return {join(lower.re, upper.re), join(lower.im, upper.im)};
  }
#endif
  KOKKOS_FORCEINLINE_FUNCTION Complex<T> operator()(LaneSite x, int) const {
    return phases(layout.coordinate(x.outer, x.lane), 0);
  }
};

template <class T>
struct PhaseTerm {
  using SiteExpressionTag = void;
  using Real = T;
  Lattice lattice;
  Momentum p;
  Coord origin;

  void collect(ExpressionPlan& plan, bool, const Coord&) const { plan.add(lattice); }
  template <bool shifted>
  auto bind(ExpressionPlan& plan, const Coord& d) const {
    Coord from = origin;
    for (std::size_t mu = 0; mu < 4; ++mu) from[mu] -= d[mu];
    const MomentumPhases<T> phases(lattice, {p}, from, plan.exec());
    plan.keep(phases);
    return PhaseNode<T>{lattice.layout().view(), phases.view()};
  }
};

}  // namespace detail

/// e^{+2 pi i sum_i p_i (x_i - origin_i) / L_i}, i = x, y, z: a complex number of modulus 1 at each site, for
/// expressions such as sum(phase(lattice, p) * dot(a, b)).
///
/// p: integers, momenta in units of 2 pi / L_i; origin: a global coordinate, whose t does not matter.  The three
/// factors are computed in double and rounded to T, the precision of the fields that it goes with.  The same numbers as
/// those of multiply_phase() and of correlators.  Throws nothing by itself; a statement throws InputError where its
/// fields are on another lattice.
template <class T = double>
auto phase(const Lattice& lattice, const Momentum& p, const Coord& origin = {0, 0, 0, 0}) {
  return detail::PhaseTerm<T>{lattice, p, origin};
}

}  // namespace kov
