// SPDX-License-Identifier: MIT
#include "kov/stencil/observables/loops.hpp"

#include "kov/core/site/su3.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/observables/observables.hpp"

#include <cmath>
#include <utility>

namespace kov {

namespace detail {

/// The sides of loops with no steps along mu: component 0 the line of links, 1; component 1 the link U_nu at its end.
template <class T>
struct FirstSidesKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  FieldView<ColorMatrix, T> u, sides;
  int nu;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto link = u(x, nu);
    sides.set(x, unit_matrix<typename decltype(link)::Real>(), 0);
    sides.set(x, link, 1);
  }
};

/// One step more along mu: L(x) = U_mu(x) L(x + mu), V(x) = V(x + mu).
template <class T>
struct NextSidesKernel {
  static constexpr bool takes_pairs = FieldView<ColorMatrix, T>::outers == 2;

  Stencil::View stencil;
  FieldView<ColorMatrix, T> u;
  NeighbourView<ColorMatrix, T> in;
  FieldView<ColorMatrix, T> out;
  int mu;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = stencil.at(x);
    out.set(x, u(x, mu) * in.neighbour(x, near, 2 * mu, 0), 0);
    out.set(x, in.neighbour(x, near, 2 * mu, 1), 1);
  }
};

/// One step along nu: out(x) = U_nu(x) in(x + nu) V(x)^+, with V(x) = U_nu(x + r mu); returns Re tr out(x) L(x)^+.
template <class T>
struct CarryLineKernel {
  Stencil::View stencil;
  FieldView<ColorMatrix, T> u, sides;
  NeighbourView<ColorMatrix, T> in;
  FieldView<ColorMatrix, T> out;
  int nu;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    const auto near = stencil.at(x);
    const auto m = (u(x, nu) * in(x, near(2 * nu))) * adj(sides(x, 1));
    out.set(x, m);
    using R = typename decltype(u(x, 0))::Real;
    return Values<R, 1>{{real_trace_adj(m, sides(x, 0))}};
  }
};

}  // namespace detail

WilsonLoops::WilsonLoops(const LoopSizes& sizes) : sizes_(sizes) {
  require(sizes.space >= 1 && sizes.time >= 1, "Wilson loops up to", sizes.space, "steps in space and", sizes.time,
          "in time were asked for: both must be 1 or more");
  for (int k = 0; k < n_planes; ++k)
    values_[k].resize(std::size_t(sizes.space) * std::size_t(planes[k][1] == 3 ? sizes.time : sizes.space));
}

double& WilsonLoops::value(int k, int r, int s) {
  const int length = planes[std::size_t(k)][1] == 3 ? sizes_.time : sizes_.space;
  require(1 <= r && r <= sizes_.space && 1 <= s && s <= length, "the Wilson loop of", r, "and", s,
          "steps was not measured: sides go from 1 to", sizes_.space, "in space and", sizes_.time, "in time");
  return values_[k][std::size_t(r - 1) * std::size_t(length) + std::size_t(s - 1)];
}

double WilsonLoops::loop(int mu, int nu, int r, int s) const {
  for (int k = 0; k < n_planes; ++k) {
    const auto [first, second] = planes[std::size_t(k)];
    if (first == mu && second == nu) return value(k, r, s);
    if (first == nu && second == mu) return value(k, s, r);
  }
  throw InputError(
      sentence("there is no plane of the directions", mu, "and", nu, ": take two different ones of 0 to 3"));
}

double WilsonLoops::space_time(int r, int t) const { return (value(0, r, t) + value(1, r, t) + value(2, r, t)) / 3; }

double WilsonLoops::space_space(int r, int s) const {
  double sum = 0;
  for (int k = 3; k < n_planes; ++k) sum += value(k, r, s) + value(k, s, r);
  return sum / 6;
}

double WilsonLoops::effective_potential(int r, int t) const {
  const double now = space_time(r, t), next = space_time(r, t + 1);
  return now > 0 && next > 0 ? std::log(now / next) : std::nan("");
}

template <class T>
WilsonLoops wilson_loops(const GaugeField<T>& gauge, const LoopSizes& sizes, SumMode mode,
                         const std::function<void()>& after_loop) {
  require_gauge(gauge);
  const Lattice& lattice = gauge.lattice();
  lattice.require_same("Wilson loops", sizes.space, sizes.time);
  WilsonLoops loops(sizes);
  const Stencil::View stencil = Stencil::of(lattice).view();
  Field<ColorMatrix, T> sides(lattice, "sides of loops", 2), next_sides(lattice, "sides of loops", 2);
  const Field<ColorMatrix, T> here(lattice, "carried line"), there(lattice, "carried line");
  for (int k = 0; k < WilsonLoops::n_planes; ++k) {
    const auto [mu, nu] = WilsonLoops::planes[std::size_t(k)];
    const int length = nu == 3 ? sizes.time : sizes.space;
    const auto& one = halo_for<ColorMatrix, T>(lattice, 1, {.legs = {2 * nu}});
    const auto& two = halo_for<ColorMatrix, T>(lattice, 2, {.legs = {2 * mu}});
    for_each_site("first_sides", sides.range(), detail::FirstSidesKernel<T>{gauge.view(), sides.view(), nu});
    for (int r = 1; r <= sizes.space; ++r) {
      for_each_site("next_sides", sides.range(),
                    detail::NextSidesKernel<T>{stencil, gauge.view(), two.exchange(sides), next_sides.view(), mu});
      std::swap(sides, next_sides);
      for (int s = 1; s <= length; ++s) {
        const Field<ColorMatrix, T> from = s == 1 ? sides.column(0) : (s % 2 == 0 ? here : there).alias();
        const Field<ColorMatrix, T>& to = s % 2 == 0 ? there : here;
        const detail::CarryLineKernel<T> kernel{stencil, gauge.view(), sides.view(), one.exchange(from), to.view(), nu};
        loops.value(k, r, s) =
            sum_sites<1>("carry_line", lattice, Subset::all, kernel, mode)[0] / (3 * double(lattice.volume()));
        if (after_loop) after_loop();
      }
    }
  }
  return loops;
}

template WilsonLoops wilson_loops(const GaugeField<float>&, const LoopSizes&, SumMode, const std::function<void()>&);
template WilsonLoops wilson_loops(const GaugeField<double>&, const LoopSizes&, SumMode, const std::function<void()>&);

}  // namespace kov
