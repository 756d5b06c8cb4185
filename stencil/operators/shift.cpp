// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/shift.hpp"

#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/links/cuda/load_order.hpp"
#include "kov/stencil/links/links_at.hpp"

namespace kov {

namespace detail {

template <class In, class Out, class StencilView>
struct ShiftKernel {
  static constexpr bool takes_pairs = Out::outers == 2;

  StencilView stencil;
  In in;
  Out out;
  int leg;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    out.set(x, in.neighbour(x, stencil.at(x), leg, c), c);
  }
};

/// sum += U(leg) in(neighbour on the leg).  Matrices and neighbours of a pair are made first where they lie apart.
template <bool backward, class Sum, class Links, class In, class Site, class Near, class Hop>
KOKKOS_FORCEINLINE_FUNCTION void multiply_neighbour(Sum& sum, const Links& links, const In& in, Site x,
                                                    const Near& near, const Hop& hop, int leg, int c) {
  if constexpr (requires { Site().lower(); }) {
    const auto neighbour = in.neighbour(x, near, leg, c);
    const LinksAt<Links, Site, 8, true> u(links, x, near);
    color_multiply_add(sum, u.template of_leg<backward>(hop, leg), neighbour);
  } else {
    color_multiply_add(sum, links.template of_leg<backward>(x, hop, leg), in.read(x, hop, c));
  }
}

template <class Links, class In, class Out, class StencilView>
struct CovariantShiftKernel {
  static constexpr bool takes_pairs = Out::outers == 2;

  StencilView stencil;
  Links links;
  In in;
  Out out;
  int leg, n_components;
  /// Whether fields exceed the caches, so that prefetches and stores that bypass the caches are faster.
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    const auto near = stencil.at(x);
    const auto hop = near(leg);
    if (streaming) prefetch_next_on_leg(stencil, near, links, in, x, leg, c, n_components);
    auto sum = zero<decltype(in(x, c))>();
    if (leg % 2 == 0)
      multiply_neighbour<false>(sum, links, in, x, near, hop, leg, c);
    else
      multiply_neighbour<true>(sum, links, in, x, near, hop, leg, c);
    set_or_stream(out, x, sum, c, streaming);
  }
};

/// out = (U(leg) in(x + mu) - U(leg + 1) in(x - mu)) / 2, where leg = 2 mu.
template <class Links, class In, class Out, class StencilView>
struct CovariantDerivativeKernel {
  static constexpr bool takes_pairs = Out::outers == 2;

  StencilView stencil;
  Links links;
  In in;
  Out out;
  int leg, n_components;
  /// As above.
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    by_factors<Site>(
        links, [&](auto multiplies) __attribute__((always_inline)) { run<decltype(multiplies)::value>(x, c); });
  }

 private:
  /// No branch on a leg.  On a GPU the loads of the second leg stay behind the first leg, since both together would
  /// take registers of too many threads.
  template <bool multiplies, class Site>
  KOKKOS_FORCEINLINE_FUNCTION void run(Site x, int c) const {
    const auto near = stencil.at(x);
    const auto behind = near(leg + 1), ahead = near(leg);
    if (streaming)
      for (const int l : {leg, leg + 1}) prefetch_next_on_leg(stencil, near, links, in, x, l, c, n_components);
    auto sum = zero<decltype(in(x, c))>();
    using R = typename decltype(sum)::Real;
    multiply<true, multiplies>(sum, x, near, behind, leg + 1, c);
    sum = R(-1) * sum;
    order_loads();
    multiply<false, multiplies>(sum, x, near, ahead, leg, c);
    set_or_stream(out, x, R(0.5) * sum, c, streaming);
  }
  template <bool backward, bool multiplies, class Sum, class Site, class Near, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Sum& sum, Site x, const Near& near, const Hop& hop, int l, int c) const {
    if constexpr (std::is_same_v<Site, LaneSite>) {
      color_multiply_add(sum, LinksAt<Links, Site, 2, multiplies>(links, x, near).template of_leg<backward>(hop, l),
                         in.read(x, hop, c));
    } else {
      multiply_neighbour<backward>(sum, links, in, x, near, hop, l, c);
    }
  }
};

template <class F>
void require_shift(const F& in, int mu, int step, const F& out) {
  require(in.conforms(out) && in.subset() == Subset::all && in.data() != out.data(), "a shift got", in.name(), "and",
          out.name(), "which must be two different full fields of one lattice and one number of components");
  require(mu >= 0 && mu < 4 && (step == 1 || step == -1), "a shift by", step, "in direction", mu,
          "does not lead to a neighbour: give a direction from 0 to 3 and a step of 1 or -1");
}

/// Runs make(neighbours, out, stencil) on the field, of which it reads these legs; columns on CPUs as sites of Part.
template <template <class> class Part, template <class> class SiteT, class T, class Lanes, class Make>
void run_on_legs(const char* name, const std::vector<int>& legs, const Field<SiteT, T, Lanes>& in,
                 const Field<SiteT, T, Lanes>& out, const Make& make, const StencilLaunch& launch) {
  const auto to = shared_view<Part>(out.view());
  run_stencil<StencilForms::nearest>(
      name, stencil_of<Lanes>(in.lattice()), halo_for<SiteT, T, Lanes>(in.lattice(), in.n_components(), {.legs = legs}),
      in, out,
      [&](const auto& neighbours, const auto& stencil) {
        return by_shared_groups<Part>(make(shared_view<Part>(neighbours), to, stencil), in);
      },
      launch);
}

/// Runs a kernel on the links and on the field, of which it reads these legs.
template <template <class, class, class, class> class Kernel, template <class> class SiteT, class T, class Lanes>
void run_covariant(const char* name, const GaugeLinks<T>& links, const Field<SiteT, T, Lanes>& in,
                   const std::vector<int>& legs, const Field<SiteT, T, Lanes>& out, const Exec& exec) {
  require(links.lattice() == in.lattice(), in.name(), "is on another lattice than the links: make both on one lattice");
  const bool streaming = worth_streaming(operator_bytes<T>(in, out, int(legs.size())));
  const int n_components = shared_groups<ColorVector>(in);
  const auto of_links = links.template view<Lanes>();
  run_on_legs<ColorVector>(name, legs, in, out,
                           [&](const auto& from, const auto& to, const auto& stencil) {
                             using K = Kernel<std::decay_t<decltype(of_links)>, std::decay_t<decltype(from)>,
                                              std::decay_t<decltype(to)>, std::decay_t<decltype(stencil)>>;
                             return K{stencil, of_links, from, to, legs.front(), n_components, streaming};
                           },
                           {.codec = links.codec(), .exec = exec});
}

}  // namespace detail

template <template <class> class SiteT, class T, class Lanes>
void shift(const Field<SiteT, T, Lanes>& in, int mu, int step, const Field<SiteT, T, Lanes>& out, const Exec& exec) {
  detail::require_shift(in, mu, step, out);
  const int leg = 2 * mu + (step < 0);
  detail::run_on_legs<Scalar>("shift", {leg}, in, out,
                              [&](const auto& from, const auto& to, const auto& stencil) {
                                using Kernel =
                                    detail::ShiftKernel<std::decay_t<decltype(from)>, std::decay_t<decltype(to)>,
                                                        std::decay_t<decltype(stencil)>>;
                                return Kernel{stencil, from, to, leg};
                              },
                              {.exec = exec});
}

template <template <class> class SiteT, class T, class Lanes>
void covariant_shift(const GaugeLinks<T>& links, const Field<SiteT, T, Lanes>& in, int mu, int step,
                     const Field<SiteT, T, Lanes>& out, const Exec& exec) {
  detail::require_shift(in, mu, step, out);
  detail::run_covariant<detail::CovariantShiftKernel>("covariant_shift", links, in, {2 * mu + (step < 0)}, out, exec);
}

template <template <class> class SiteT, class T, class Lanes>
void covariant_derivative(const GaugeLinks<T>& links, const Field<SiteT, T, Lanes>& in, int mu,
                          const Field<SiteT, T, Lanes>& out, const Exec& exec) {
  detail::require_shift(in, mu, 1, out);
  detail::run_covariant<detail::CovariantDerivativeKernel>("covariant_derivative", links, in, {2 * mu, 2 * mu + 1}, out,
                                                           exec);
}

#define KOV_INSTANTIATE_SHIFT(SiteT, T, Lanes) \
  template void shift(const Field<SiteT, T, Lanes>&, int, int, const Field<SiteT, T, Lanes>&, const Exec&)
#define KOV_INSTANTIATE_COVARIANT(SiteT, T, Lanes)                                             \
  KOV_INSTANTIATE_SHIFT(SiteT, T, Lanes);                                                      \
  template void covariant_shift(const GaugeLinks<T>&, const Field<SiteT, T, Lanes>&, int, int, \
                                const Field<SiteT, T, Lanes>&, const Exec&);                   \
  template void covariant_derivative(const GaugeLinks<T>&, const Field<SiteT, T, Lanes>&, int, \
                                     const Field<SiteT, T, Lanes>&, const Exec&)
#define KOV_INSTANTIATE(T, Lanes)                   \
  KOV_INSTANTIATE_COVARIANT(ColorVector, T, Lanes); \
  KOV_INSTANTIATE_COVARIANT(Spinor, T, Lanes);      \
  KOV_INSTANTIATE_SHIFT(AdjointVector, T, Lanes)
KOV_FOR_LANES(KOV_INSTANTIATE);
KOV_INSTANTIATE_SHIFT(Scalar, double, SiteLanes);
KOV_INSTANTIATE_SHIFT(ColorMatrix, float, SiteLanes);
KOV_INSTANTIATE_SHIFT(ColorMatrix, double, SiteLanes);
#undef KOV_INSTANTIATE_SHIFT
#undef KOV_INSTANTIATE_COVARIANT
#undef KOV_INSTANTIATE

}  // namespace kov
