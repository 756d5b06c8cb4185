// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/shift.hpp"

#include "kov/stencil/launch.hpp"

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

/// out = factor times the covariant neighbour on a leg, or, with `both`, times its difference from that on the opposite
/// leg.
template <class Links, class In, class Out>
struct CovariantHopKernel {
  Stencil::View stencil;
  Links links;
  In in;
  Out out;
  int leg;
  typename Out::Real factor;
  bool both;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    const auto near = stencil.at(x);
    auto sum = zero<decltype(in(x, c))>();
    using R = typename decltype(sum)::Real;
    if (both) {
      add_leg(sum, x, near, leg ^ 1, c);
      sum = R(-1) * sum;
    }
    add_leg(sum, x, near, leg, c);
    out.set(x, R(factor) * sum, c);
  }

 private:
  template <class Sum, class Site, class Near>
  KOKKOS_FORCEINLINE_FUNCTION void add_leg(Sum& sum, Site x, const Near& near, int l, int c) const {
    const auto hop = near(l);
    if (l % 2 == 0)
      color_multiply_add(sum, links.template of_leg<false>(x, hop, l), in.read(x, hop, c));
    else
      color_multiply_add(sum, links.template of_leg<true>(x, hop, l), in.read(x, hop, c));
  }
};

template <class F>
void require_shift(const F& in, int mu, int step, const F& out) {
  require(in.conforms(out) && in.subset() == Subset::all && in.data() != out.data(), "a shift got", in.name(), "and",
          out.name(), "which must be two different full fields of one lattice and one number of components");
  require(mu >= 0 && mu < 4 && (step == 1 || step == -1), "a shift by", step, "in direction", mu,
          "does not lead to a neighbour: give a direction from 0 to 3 and a step of 1 or -1");
}

template <template <class> class SiteT, class T>
void covariant_hop(const char* name, const GaugeLinks<T>& links, const Field<SiteT, T>& in, int leg, T factor,
                   bool both, const Field<SiteT, T>& out, const Exec& exec) {
  require(links.lattice() == in.lattice(), in.name(), "is on another lattice than the links: make both on one lattice");
  using In = NeighbourView<SiteT, T>;
  using Out = FieldView<SiteT, T>;
  const HaloChoice read{.legs = both ? std::vector<int>{leg & ~1, leg | 1} : std::vector<int>{leg}};
  const auto neighbours = halo_for<SiteT, T>(in.lattice(), in.n_components(), read).exchange(in, 0, exec);
  const Stencil::View stencil = Stencil::of(in.lattice()).view();
  for_each_site(
      name, in.range(), in.n_components(),
      CovariantHopKernel<LinkView<T>, In, Out>{stencil, links.view(), neighbours, out.view(), leg, factor, both}, exec);
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
  detail::covariant_hop("covariant_shift", links, in, 2 * mu + (step < 0), T(1), false, out, exec);
}

template <template <class> class SiteT, class T>
void covariant_derivative(const GaugeLinks<T>& links, const Field<SiteT, T>& in, int mu, const Field<SiteT, T>& out,
                          const Exec& exec) {
  detail::require_shift(in, mu, 1, out);
  detail::covariant_hop("covariant_derivative", links, in, 2 * mu, T(0.5), true, out, exec);
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
