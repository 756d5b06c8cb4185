// SPDX-License-Identifier: MIT
#include "kov/stencil/trace_projection.hpp"

#include "kov/core/reduce.hpp"
#include "kov/core/su3.hpp"
#include "kov/stencil/su3_maps.hpp"

#include <array>
#include <cmath>

namespace kov {

namespace detail {

/// One pass over the subgroups: g and w = g u v^+ are turned to where Re tr w is largest.  Returns the largest |turn -
/// 1|^2.
template <class T>
KOKKOS_INLINE_FUNCTION T raise_trace(ColorMatrix<T>& g, ColorMatrix<T>& w) {
  T largest(0);
  for (int k = 0; k < 3; ++k) {
    const Quaternion<T> r = subgroup_part(w, k);
    const T size = Kokkos::sqrt(norm2(r));
    if (!(size > T(0))) continue;  // every turn is as good
    const Quaternion<T> turn{{r.v[0] / size, -r.v[1] / size, -r.v[2] / size, -r.v[3] / size}};
    multiply_subgroup(g, turn, k);
    multiply_subgroup(w, turn, k);
    const T way =
        (turn.v[0] - 1) * (turn.v[0] - 1) + turn.v[1] * turn.v[1] + turn.v[2] * turn.v[2] + turn.v[3] * turn.v[3];
    largest = Kokkos::max(largest, way);
  }
  return largest;
}

/// u -> g u, g from sweeps until nothing moves, max_sweeps at most; counts the links that still moved.
template <class T>
struct ProjectKernel {
  SiteRange range;
  FieldView<ColorMatrix, T, default_lanes> u, v;
  int max_sweeps;

  KOKKOS_FUNCTION void operator()(int i, std::int64_t& unfinished) const {
    const LaneSite x{range.first + i / default_lanes, i % default_lanes};
    if (!range.holds(x.outer, x.lane, default_lanes)) return;
    const ColorMatrix<T> start = u(x) * adj(v(x));
    ColorMatrix<T> g = unit_matrix<T>(), w = start;
    constexpr T rounding = 8 * Kokkos::Experimental::epsilon_v<T>;
    bool moving = true;
    for (int sweep = 0; sweep < max_sweeps && moving; ++sweep) {
      moving = raise_trace(g, w) > rounding * rounding;
      if (sweep % 8 == 7) {  // or roundings would pile up
        reunitarise(g);
        w = g * start;
      }
    }
    if (moving) ++unfinished;
    reunitarise(g);
    u.set(x, g * u(x));
  }
};

template <class T>
struct ProjectOnceKernel {
  FieldView<ColorMatrix, T, default_lanes> u, v;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    ColorMatrix<T> link = u(x);
    ColorMatrix<T> w = link * adj(v(x));
    raise_trace(link, w);
    reunitarise(link);
    u.set(x, link);
  }
};

/// Re tr u v^+
template <class T>
struct OverlapKernel {
  FieldView<ColorMatrix, T, default_lanes> u, v;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    const auto link = u(x);
    using R = typename decltype(link)::Real;
    return Values<R, 1>{{real_trace_adj(link, v(x))}};
  }
};

}  // namespace detail

template <class T>
void project_by_trace(const Field<ColorMatrix, T>& u, const Field<ColorMatrix, T>& v, const TraceProjection& how) {
  const Lattice& lattice = u.lattice();
  if (how.stop == TraceProjection::Stop::converged) {
    std::array<std::int64_t, 1> unfinished{0};
    Kokkos::parallel_reduce("project", Kokkos::RangePolicy<>(0, u.range().n_outer * default_lanes),
                            detail::ProjectKernel<T>{u.range(), u.view(), v.view(), how.max_sweeps}, unfinished[0]);
    lattice.comm().sum(unfinished);
    require<ConvergenceError>(unfinished[0] == 0, "the projection to SU(3) did not converge on", unfinished[0],
                              "links in", how.max_sweeps,
                              "sweeps: V has almost no SU(3) part there; allow more sweeps or smear less");
    return;
  }
  // Exact sums, so that every decomposition stops after the same sweep.
  const auto average = [&] {
    return sum_sites<1>("overlap", lattice, Subset::all, detail::OverlapKernel<T>{u.view(), v.view()},
                        SumMode::exact)[0];
  };
  double before = average();
  for (int sweep = 0; sweep < how.max_sweeps; ++sweep) {
    for_each_lane<default_lanes>("project_once", u.range(), detail::ProjectOnceKernel<T>{u.view(), v.view()});
    const double now = average();
    if (std::abs(now - before) <= how.change * std::abs(before)) return;
    before = now;
  }
  throw ConvergenceError(sentence("the projection to SU(3) still changed the average trace by more than", how.change,
                                  "after", how.max_sweeps, "sweeps: allow more sweeps or a larger change"));
}

template void project_by_trace(const Field<ColorMatrix, float>&, const Field<ColorMatrix, float>&,
                               const TraceProjection&);
template void project_by_trace(const Field<ColorMatrix, double>&, const Field<ColorMatrix, double>&,
                               const TraceProjection&);

}  // namespace kov
