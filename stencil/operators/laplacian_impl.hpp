// SPDX-License-Identifier: MIT
//
// Private to laplacian*.cpp, here and in storages/: the kernel of a LaplacianStep and its launch.  Each of the sources
// compiles the kernels for some storages of links and fields, as there are too many kernels for one source.
#pragma once

#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/links/cuda/load_order.hpp"
#include "kov/stencil/links/links_at.hpp"
#include "kov/stencil/neighbours_at.hpp"
#include "kov/stencil/operator_work.hpp"
#include "kov/stencil/operators/cuda/laplacian_blocks.hpp"
#include "kov/stencil/operators/laplacian_step.hpp"

#include <type_traits>
#include <utility>

namespace kov::detail {

/// Whether sums in space have kernels of their own: on CPUs not for pairs of packs and for columns of spinors, where a
/// loop of unknown length costs no time (docs/performance.md).
template <class View>
inline constexpr bool space_apart = has_packs ? View::outers == 1 && (View::n_complex <= 3 || !View::holds_columns)
                                              : LaplacianKernelsApart<View>::space;

/// Sum over n_legs (six in space, eight in spacetime) of U_leg(x) in(x + leg).  Where sums in space have no kernels of
/// their own, the first legs_used of eight.
///
/// Spinor, eight legs: 8 * 288 flops; 24 reals of memory traffic per site and component and 72 link reals per site
/// (blocks of columns on CPUs: 144), when neighbours come from cache.
template <class Links, class In, int n_legs, class StencilView = Stencil::NearestView>
struct LegSum {
  StencilView stencil;
  Links links;
  In in;
  int n_components, legs_used;
  /// Whether fields exceed the caches, so that prefetches and stores that bypass the caches are faster.
  bool streaming;

  /// Adds the sum over the legs of component c at x to `sum`.  multiplies: see LinksAt.
  template <bool multiplies, class Site, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_to(Sum& sum, Site x, int c) const {
    const auto near = stencil.at(x);
    const LinksAt<Links, Site, n_legs, multiplies> u(links, x, near, legs_used);
    const NeighboursAt<In, Site, n_legs> psi(in, x, near, c, legs_used);
    add_all(sum, x, near, u, psi, c, std::make_integer_sequence<int, n_legs>{});
  }

 private:
  template <class Sum, class Site, class Near, class U, class Psi, int... leg>
  KOKKOS_FORCEINLINE_FUNCTION void add_all(Sum& sum, Site x, const Near& near, const U& u, const Psi& psi, int c,
                                           std::integer_sequence<int, leg...>) const {
    if constexpr (unrolls_laplacian_legs<Site>) {
      (add<leg_in_turn(leg, n_legs) % 2 == 1>(sum, x, near, u, psi, leg_in_turn(leg, n_legs), c), ...);
    } else {
      // A loop keeps the code small, which is faster than eight copies when fields exceed the caches.
      const int end = space_apart<typename In::View> ? n_legs : legs_used;
      for (int l = 0; l < end; l += 2) {
        add<false>(sum, x, near, u, psi, l, c);
        add<true>(sum, x, near, u, psi, l + 1, c);
      }
    }
  }
  template <bool is_backward, class Sum, class Site, class Near, class U, class Psi>
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, Site x, const Near& near, const U& u, const Psi& psi, int leg,
                                       int c) const {
    if (streaming) prefetch_next(stencil, near, links, in, x, leg, c, n_components);
    const auto hop = near(leg);
    color_multiply_add(sum, u.template of_leg<is_backward>(hop, leg), psi.read(hop, leg));
  }
};

/// Whether links without factors have kernels of their own: on CPUs for packs, whose sums then ask at no leg.
template <class View>
inline constexpr bool factors_apart =
    has_packs ? !View::holds_columns && View::outers == 1 : LaplacianKernelsApart<View>::without_factors;

/// A LaplacianStep on every component.  factors: whether links may have any.  Flops and memory traffic: those of
/// LegSum, and for each real number of a site 2 flops and one real; with a source and a `before` another 4 flops and
/// two reals.
template <class Links, class In, class View, int n_legs, bool others, bool factors, class StencilView>
struct LaplacianKernel {
  using Real = typename View::Real;
  static constexpr bool takes_pairs = View::outers == 2;

  LegSum<Links, In, n_legs, StencilView> legs;
  OtherFields<View, others> other;
  View to;
  StepAtSite<Real, others> step;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    if constexpr (factors && !factors_apart<View>)
      by_factors<Site>(
          legs.links, [&](auto multiplies) __attribute__((always_inline)) { run<decltype(multiplies)::value>(x, c); });
    else
      run<factors>(x, c);
  }

 private:
  template <bool multiplies, class Site>
  KOKKOS_FORCEINLINE_FUNCTION void run(Site x, int c) const {
    auto sum = zero<decltype(to(x, c))>();
    if (legs.streaming) step.prefetch_next(x, c, legs.n_components, other);
    if constexpr (loads_site_first<Site, View>) {
      const AlreadyRead from{legs.in(x, c)};
      legs.template add_to<multiplies>(sum, x, c);
      step.finish(sum, x, c, from, other);
    } else {
      legs.template add_to<multiplies>(sum, x, c);
      step.finish(sum, x, c, legs.in, other);
    }
    set_or_stream(to, x, sum, c, legs.streaming && !step.has_before);
  }
};

template <class F>
void require_step(const F& in, const F& from, const F& before, const F& to, const Lattice& lattice) {
  require(from.conforms(to) && from.conforms(in) && from.conforms(before) && from.lattice() == lattice,
          "the Laplacian got", from.name(), "and", to.name(),
          "which differ in lattice, sites or components, or from its links: give it two fields of one shape");
  require(from.subset() == Subset::all, "the Laplacian connects both parities, but", from.name(),
          "has one: pass a full field");
  require(from.data() != to.data(), "the Laplacian cannot work in place on", from.name(),
          ": give it two different fields");
}

template <class Storage, class F>
void LaplacianOn<Storage, F>::take(const CovariantLaplacian<Storage>& laplacian, const LaplacianStep& step, const F& in,
                                   const F& from, const F& before, const F& to, const Exec& exec) {
  require_step(in, from, before, to, laplacian.lattice());
  using Lanes = typename F::Lanes;
  using Links = LinkView<Storage, link_lanes_t<Lanes>>;
  const GaugeLinks<Storage>& gauge = laplacian.links();
  const bool streaming = worth_streaming(operator_bytes<Storage>(from, to, 2 * int(laplacian.dimensions())));
  const Links links = gauge.template view<Lanes>();
  const auto source = step.source ? in.view() : from.view(), previous = step.has_before ? before.view() : from.view();
  constexpr auto most_forms =
      LaplacianKernelsApart<typename F::View>::local ? StencilForms::nearest_and_local : StencilForms::nearest;
  constexpr auto forms = forms_for<most_forms, Links, typename F::View>;
  const int n_dimensions = int(laplacian.dimensions());
  count_operator(from, to, (2.0 * n_dimensions * 24 + 4) * F::n_complex,
                 n_dimensions * bytes_of_site<ColorMatrix, Storage>,
                 double((step.source ? 1 : 0) + (step.has_before ? 1 : 0)) * double(to.bytes()));
  const auto take_with = [&](auto n_legs, auto others, auto factors, const auto& view) {
    using View = std::decay_t<decltype(view)>;
    run_stencil<forms>(
        step.source ? "laplacian_series" : "covariant_laplacian", laplacian.halos(), from, to,
        [&](const auto& neighbours, const auto& stencil) {
          using Kernel =
              LaplacianKernel<View, std::decay_t<decltype(neighbours)>, typename F::View, decltype(n_legs)::value,
                              decltype(others)::value, decltype(factors)::value, std::decay_t<decltype(stencil)>>;
          return Kernel{{stencil, view, neighbours, from.n_groups(), 2 * n_dimensions, streaming},
                        {source, previous},
                        to.view(),
                        StepAtSite<typename F::Real, decltype(others)::value>(step)};
        },
        {.codec = gauge.codec(), .exec = exec});
  };
  launch_step<typename F::View>(step.reads_others(), [&](auto others) {
    const auto with = [&](auto n_legs) {
      if constexpr (factors_apart<typename F::View>)
        if (!links.has_factors()) return take_with(n_legs, others, std::false_type{}, links.without_factors());
      take_with(n_legs, others, std::true_type{}, links);
    };
    if constexpr (space_apart<typename F::View>)
      if (laplacian.dimensions() == Dimensions::space) return with(std::integral_constant<int, 6>{});
    with(std::integral_constant<int, 8>{});
  });
}

// One source makes each, also where a build puts this header before sources that take steps.
#define KOV_MADE_BY_A_SOURCE(Storage, T, Lanes)                              \
  extern template struct LaplacianOn<Storage, Field<ColorVector, T, Lanes>>; \
  extern template struct LaplacianOn<Storage, Field<Spinor, T, Lanes>>
#define KOV_MADE_BY_SOURCES(T, Lanes) \
  KOV_MADE_BY_A_SOURCE(T, T, Lanes);  \
  KOV_MADE_BY_A_SOURCE(Links12<T>, T, Lanes)
KOV_FOR_LANES(KOV_MADE_BY_SOURCES);
KOV_MADE_BY_A_SOURCE(float, Fixed16, SiteLanes);
KOV_MADE_BY_A_SOURCE(Links12<float>, Fixed16, SiteLanes);
#undef KOV_MADE_BY_SOURCES
#undef KOV_MADE_BY_A_SOURCE

}  // namespace kov::detail
