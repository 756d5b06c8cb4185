// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/shift.hpp"

#include "kov/stencil/neighbours_at.hpp"
#include "kov/stencil/run_stencil.hpp"

namespace kov {

namespace detail {

template <class In, class Out>
struct ShiftKernel {
  Stencil::View stencil;
  In in;
  Out out;
  int leg;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    out.set(x, in(x, stencil.at(x)(leg), c), c);
  }
};

template <class Links, class In, class Out>
struct CovariantShiftKernel {
  Stencil::View stencil;
  Links links;
  In in;
  Out out;
  int leg;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    const auto hop = stencil.at(x)(leg);
    auto sum = zero<decltype(in(x, c))>();
    if (leg % 2 == 0)
      color_multiply_add(sum, links.template of_leg<false>(x, hop, leg), in.read(x, hop, c));
    else
      color_multiply_add(sum, links.template of_leg<true>(x, hop, leg), in.read(x, hop, c));
    out.set(x, sum, c);
  }
};

/// out = (U(leg) in(x + mu) - U(leg + 1) in(x - mu)) / 2, where leg = 2 mu.
template <class Links, class In, class Out>
struct CovariantDerivativeKernel {
  Stencil::View stencil;
  Links links;
  In in;
  Out out;
  int leg;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    if constexpr (std::is_same_v<Site, LaneSite>)
      if (!links.has_factors()) return run<false>(x, c);
    run<true>(x, c);
  }

 private:
  /// No branch on a leg.  On a GPU the loads of the second leg stay behind the first leg, since both together would
  /// take registers of too many threads.
  template <bool multiplies, class Site>
  KOKKOS_FORCEINLINE_FUNCTION void run(Site x, int c) const {
    const auto near = stencil.at(x);
    const auto behind = near(leg + 1), ahead = near(leg);
    auto sum = zero<decltype(in(x, c))>();
    using R = typename decltype(sum)::Real;
    color_multiply_add(sum, link<true, multiplies>(x, near, behind, leg + 1), in.read(x, behind, c));
    sum = R(-1) * sum;
    order_loads();
    color_multiply_add(sum, link<false, multiplies>(x, near, ahead, leg), in.read(x, ahead, c));
    out.set(x, R(0.5) * sum, c);
  }
  template <bool backward, bool multiplies, class Site, class Near, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto link(Site x, const Near& near, const Hop& hop, int l) const {
    if constexpr (std::is_same_v<Site, LaneSite>)
      return LinksAt<Links, Site, 2, multiplies>(links, x, near).template of_leg<backward>(hop, l);
    else
      return links.template of_leg<backward>(x, hop, l);
  }
};

template <class F>
void require_shift(const F& in, int mu, int step, const F& out) {
  require(in.conforms(out) && in.subset() == Subset::all && in.data() != out.data(), "a shift got", in.name(), "and",
          out.name(), "which must be two different full fields of one lattice and one number of components");
  require(mu >= 0 && mu < 4 && (step == 1 || step == -1), "a shift by", step, "in direction", mu,
          "does not lead to a neighbour: give a direction from 0 to 3 and a step of 1 or -1");
}

/// Runs a kernel on the links and on the field, of which it reads these legs.
template <template <class, class, class> class Kernel, template <class> class SiteT, class T>
void covariant(const char* name, const GaugeLinks<T>& links, const Field<SiteT, T>& in, const std::vector<int>& legs,
               const Field<SiteT, T>& out, const Exec& exec) {
  require(links.lattice() == in.lattice(), in.name(), "is on another lattice than the links: make both on one lattice");
  using In = NeighbourView<SiteT, T>;
  using Out = FieldView<SiteT, T>;
  const auto neighbours = halo_for<SiteT, T>(in.lattice(), in.n_components(), {.legs = legs}).exchange(in, 0, exec);
  const Stencil::View stencil = Stencil::of(in.lattice()).view();
  for_each_site(name, in.range(), in.n_components(),
                Kernel<LinkView<T>, In, Out>{stencil, links.view(), neighbours, out.view(), legs.front()}, exec);
}

}  // namespace detail

template <template <class> class SiteT, class T>
void shift(const Field<SiteT, T>& in, int mu, int step, const Field<SiteT, T>& out, const Exec& exec) {
  detail::require_shift(in, mu, step, out);
  using In = NeighbourView<SiteT, T>;
  using Out = FieldView<SiteT, T>;
  const int leg = 2 * mu + (step < 0);
  const auto neighbours = halo_for<SiteT, T>(in.lattice(), in.n_components(), {.legs = {leg}}).exchange(in, 0, exec);
  const Stencil::View stencil = Stencil::of(in.lattice()).view();
  for_each_site("shift", in.range(), in.n_components(),
                detail::ShiftKernel<In, Out>{stencil, neighbours, out.view(), leg}, exec);
}

template <template <class> class SiteT, class T>
void covariant_shift(const GaugeLinks<T>& links, const Field<SiteT, T>& in, int mu, int step,
                     const Field<SiteT, T>& out, const Exec& exec) {
  detail::require_shift(in, mu, step, out);
  detail::covariant<detail::CovariantShiftKernel>("covariant_shift", links, in, {2 * mu + (step < 0)}, out, exec);
}

template <template <class> class SiteT, class T>
void covariant_derivative(const GaugeLinks<T>& links, const Field<SiteT, T>& in, int mu, const Field<SiteT, T>& out,
                          const Exec& exec) {
  detail::require_shift(in, mu, 1, out);
  detail::covariant<detail::CovariantDerivativeKernel>("covariant_derivative", links, in, {2 * mu, 2 * mu + 1}, out,
                                                       exec);
}

template void shift(const Field<Scalar, double>&, int, int, const Field<Scalar, double>&, const Exec&);
template void shift(const Field<ColorVector, float>&, int, int, const Field<ColorVector, float>&, const Exec&);
template void shift(const Field<ColorVector, double>&, int, int, const Field<ColorVector, double>&, const Exec&);
template void shift(const Field<AdjointVector, float>&, int, int, const Field<AdjointVector, float>&, const Exec&);
template void shift(const Field<AdjointVector, double>&, int, int, const Field<AdjointVector, double>&, const Exec&);
template void shift(const Field<ColorMatrix, float>&, int, int, const Field<ColorMatrix, float>&, const Exec&);
template void shift(const Field<ColorMatrix, double>&, int, int, const Field<ColorMatrix, double>&, const Exec&);
template void shift(const Field<Spinor, float>&, int, int, const Field<Spinor, float>&, const Exec&);
template void shift(const Field<Spinor, double>&, int, int, const Field<Spinor, double>&, const Exec&);
template void covariant_shift(const GaugeLinks<float>&, const Field<ColorVector, float>&, int, int,
                              const Field<ColorVector, float>&, const Exec&);
template void covariant_shift(const GaugeLinks<double>&, const Field<ColorVector, double>&, int, int,
                              const Field<ColorVector, double>&, const Exec&);
template void covariant_shift(const GaugeLinks<float>&, const Field<Spinor, float>&, int, int,
                              const Field<Spinor, float>&, const Exec&);
template void covariant_shift(const GaugeLinks<double>&, const Field<Spinor, double>&, int, int,
                              const Field<Spinor, double>&, const Exec&);
template void covariant_derivative(const GaugeLinks<float>&, const Field<ColorVector, float>&, int,
                                   const Field<ColorVector, float>&, const Exec&);
template void covariant_derivative(const GaugeLinks<double>&, const Field<ColorVector, double>&, int,
                                   const Field<ColorVector, double>&, const Exec&);
template void covariant_derivative(const GaugeLinks<float>&, const Field<Spinor, float>&, int,
                                   const Field<Spinor, float>&, const Exec&);
template void covariant_derivative(const GaugeLinks<double>&, const Field<Spinor, double>&, int,
                                   const Field<Spinor, double>&, const Exec&);

}  // namespace kov
