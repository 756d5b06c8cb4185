// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/trace_projection.hpp"

#include "kov/core/base/queue.hpp"
#include "kov/core/launch/count_sites.hpp"
#include "kov/core/site/su3.hpp"
#include "kov/core/vectors/reduce.hpp"
#include "kov/stencil/gauge/su3_maps.hpp"

#include <array>
#include <cmath>
#include <type_traits>

namespace kov {

namespace detail {

/// One pass over the subgroups: g and w = g u v^+ are turned to where Re tr w is largest.  Returns the largest |turn -
/// 1|^2.
template <class R>
KOKKOS_INLINE_FUNCTION R raise_trace(ColorMatrix<R>& g, ColorMatrix<R>& w) {
  using Kokkos::sqrt;
  R largest(0);
  for (int k = 0; k < 3; ++k) {
    const Quaternion<R> r = subgroup_part(w, k);
    const R square = norm2(r), scale = R(1) / sqrt(square);
    // Where r = 0 every turn is as good: none.
    Quaternion<R> turn{{where_greater(square, R(0), r.v[0] * scale, R(1)), R(0), R(0), R(0)}};
    R way = (turn.v[0] - R(1)) * (turn.v[0] - R(1));
    for (int i = 1; i < 4; ++i) {
      turn.v[i] = where_greater(square, R(0), -(r.v[i] * scale), R(0));
      way += turn.v[i] * turn.v[i];
    }
    multiply_subgroup(g, turn, k);
    multiply_subgroup(w, turn, k);
    largest = where_greater(way, largest, way, largest);
  }
  return largest;
}

/// to = from in the lanes where a > b.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void assign_where_greater(const R& a, const R& b, ColorMatrix<R>& to,
                                                      const ColorMatrix<R>& from) {
  for (int i = 0; i < 9; ++i)
    to.z[i] = {where_greater(a, b, from.z[i].re, to.z[i].re), where_greater(a, b, from.z[i].im, to.z[i].im)};
}

/// u -> g u, g from sweeps until nothing moves, max_sweeps at most; counts the links that still moved.  A link that has
/// come to rest stays so, whatever the other lanes of its pack do: its bits depend on it alone.
template <class T>
struct ProjectKernel {
  SiteRange range;
  FieldView<ColorMatrix, T> u, v;
  int max_sweeps;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, Counts<1>& unfinished) const {
    const auto way = project(x);
    if constexpr (std::is_same_v<Site, PackSite>)
      for (int lane = 0; lane < default_lanes; ++lane)
        unfinished.of[0] += range.holds(x.outer, lane, default_lanes) && way.lane(lane) > limit();
    else
      unfinished.of[0] += way > limit();
  }

  /// What raise_trace() says of a link at rest.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr T limit() {
    constexpr T rounding = 8 * Kokkos::Experimental::epsilon_v<T>;
    return rounding * rounding;
  }

  /// How far the last sweep went.
  template <class Site>
  KOKKOS_FUNCTION auto project(Site x) const {
    using R = typename decltype(u(x))::Real;
    const R rest(limit());
    const auto start = u(x) * adj(v(x));
    auto g = unit_matrix<R>();
    auto w = start;
    R way(1);
    for (int sweep = 0; sweep < max_sweeps && count_greater(way, rest) > 0; ++sweep) {
      auto next_g = g, next_w = w;
      R next_way = raise_trace(next_g, next_w);
      if (sweep % 8 == 7) {  // or roundings would pile up
        reunitarise(next_g);
        next_w = next_g * start;
      }
      assign_where_greater(way, rest, g, next_g);
      assign_where_greater(way, rest, w, next_w);
      way = where_greater(way, rest, next_way, way);
    }
    reunitarise(g);
    u.set(x, g * u(x));
    return way;
  }
};

template <class T>
struct ProjectOnceKernel {
  FieldView<ColorMatrix, T> u, v;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    auto link = u(x);
    auto w = link * adj(v(x));
    raise_trace(link, w);
    reunitarise(link);
    u.set(x, link);
  }
};

/// Re tr u v^+
template <class T>
struct OverlapKernel {
  FieldView<ColorMatrix, T> u, v;

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
    auto unfinished =
        count_sites<1>("project", u.range(), detail::ProjectKernel<T>{u.range(), u.view(), v.view(), how.max_sweeps});
    lattice.comm().sum(unfinished);
    require<ConvergenceError>(unfinished[0] == 0, "the projection to SU(3) did not converge on", unfinished[0],
                              "links in", how.max_sweeps,
                              "sweeps: V has almost no SU(3) part there; smear less, or give the link another weight");
    return;
  }
  // Exact sums, so that every decomposition stops after the same sweep.
  const auto average = [&] {
    return sum_sites<1>("overlap", lattice, Subset::all, detail::OverlapKernel<T>{u.view(), v.view()},
                        SumMode::exact)[0];
  };
  double before = average();
  for (int sweep = 0; sweep < how.max_sweeps; ++sweep) {
    for_each_site("project_once", u.range(), detail::ProjectOnceKernel<T>{u.view(), v.view()});
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
