// SPDX-License-Identifier: MIT
#include "kov/stencil/dirac/improved_hop.hpp"

#include "kov/core/site/projector.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/links/links_at.hpp"
#include "kov/stencil/neighbours_at.hpp"
#include "kov/stencil/operator_work.hpp"
#include "kov/stencil/operators/hop_shapes.hpp"
#include "kov/stencil/operators/shift.hpp"

#include <utility>

namespace kov {

namespace detail {

namespace {

constexpr int n_hop_legs = 16;

/// acc += (one + sign gamma g_mu) u psi for spin s of psi: 66 + 24 flops.
template <int mu, int sign, int s, class R, class Matrix, class Psi>
KOKKOS_FORCEINLINE_FUNCTION void add_spin(Spinor<R>& acc, const Matrix& u, const Psi& psi, const R& one,
                                          const R& gamma) {
  constexpr Gamma g = Gamma::direction(mu);
  constexpr int row = g.column[s];  // g_mu swaps pairs of spins
  constexpr int phase = (g.phase[row] + (sign < 0 ? 2 : 0)) & 3;
  Complex<R> v[3] = {{R(0), R(0)}, {R(0), R(0)}, {R(0), R(0)}};
  kov::unroll<3>([&](int b) __attribute__((always_inline)) {
    const auto z = element(psi, 3 * s + b);
    kov::unroll<3>([&](int a) __attribute__((always_inline)) { multiply_add(v[a], element(u, 3 * a + b), z); });
  });
  kov::unroll<3>([&](int a) __attribute__((always_inline)) {
    add_product(acc(s, a).re, one, v[a].re);
    add_product(acc(s, a).im, one, v[a].im);
    const Complex<R> turned = add_i_power<phase>(Complex<R>{R(0), R(0)}, v[a]);
    add_product(acc(row, a).re, gamma, turned.re);
    add_product(acc(row, a).im, gamma, turned.im);
  });
}

}  // namespace

/// out(x) = alpha diagonal(x) + the sum over sixteen legs, whose weights include beta.  16 * 360 flops; 24 + 24 + 144
/// reals of memory traffic per site when neighbours come from cache, 24 + 24 + 288 from one parity to the other.
template <class Links, class In, class Out>
struct ImprovedHopKernel {
  using Real = typename Out::Real;
  static constexpr bool takes_pairs = Out::outers == 2;

  Stencil::View stencil;
  Links links;
  In in;
  Out diagonal, out;
  int n_components;
  Real alpha, one[2], gamma[2];
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    by_factors<Site>(
        links, [&](auto multiplies) __attribute__((always_inline)) { run<decltype(multiplies)::value>(x, c); });
  }

 private:
  template <bool multiplies, class Site>
  KOKKOS_FORCEINLINE_FUNCTION void run(Site x, int c) const {
    const auto near = stencil.at(x);
    const LinksAt<Links, Site, n_hop_legs, multiplies> u(links, x, near);
    const NeighboursAt<In, Site, n_hop_legs> psi(in, x, near, c);
    using Result = decltype(diagonal(x, c));
    using R = typename Result::Real;
    Result sum = zero<Result>();
    for (int k = 0; k < 2; ++k) add_length(sum, x, near, u, psi, c, k, std::make_integer_sequence<int, 8>{});
    if (alpha != Real(0)) multiply_add(sum, R(alpha), diagonal(x, c));
    set_or_stream(out, x, sum, c, streaming);
  }
  template <class Sum, class Site, class Near, class U, class Psi, int... number>
  KOKKOS_FORCEINLINE_FUNCTION void add_length(Sum& sum, Site x, const Near& near, const U& u, const Psi& psi, int c,
                                              int k, std::integer_sequence<int, number...>) const {
    (add_leg<number>(sum, x, near, u, psi, c, k), ...);
  }
  template <int number, class Sum, class Site, class Near, class U, class Psi>
  KOKKOS_FORCEINLINE_FUNCTION void add_leg(Sum& sum, Site x, const Near& near, const U& u, const Psi& psi, int c,
                                           int k) const {
    const int leg = 8 * k + number;
    if (streaming) prefetch_next(stencil, near, links, in, x, leg, c, n_components);
    const auto hop = near(leg);
    add_spins<number>(sum, u.template of_leg<number % 2 == 1>(hop, leg), psi.read(hop, leg), k);
  }
  template <int number, class Sum, class Matrix, class Psi>
  KOKKOS_FORCEINLINE_FUNCTION void add_spins(Sum& sum, const Matrix& u, const Psi& psi, int k) const {
    using R = typename Sum::Real;
    constexpr int mu = number / 2, sign = number % 2 == 0 ? -1 : +1;
    const R a(one[k]), b(gamma[k]);
    add_spin<mu, sign, 0>(sum, u, psi, a, b);
    add_spin<mu, sign, 1>(sum, u, psi, a, b);
    add_spin<mu, sign, 2>(sum, u, psi, a, b);
    add_spin<mu, sign, 3>(sum, u, psi, a, b);
  }
};

/// out(x) = u(x) v(x)
template <class T>
struct LinkProductKernel {
  FieldView<ColorMatrix, T> u, v, out;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x) const {
    out.set(x, u(x) * v(x));
  }
};

template <class Storage, class F>
void ImprovedHopOn<Storage, F>::combine(const ImprovedHop<Storage>& hop, double alpha, double beta, const F& in,
                                        const F& diagonal, const F& out, bool adjoint, const Exec& exec) {
  require_hop_shapes(in, diagonal, out, hop.lattice());
  const bool is_full = out.subset() == Subset::all;
  require(is_full || hop.changes_parity(), "a hop with legs of two links got", in.name(), "and", out.name(),
          "of one parity, to which these legs lead back: give it full fields");
  using T = typename F::Real;
  using Lanes = typename F::Lanes;
  using Links = LinkView<Storage, link_lanes_t<Lanes>>;
  const Links links = hop.links().template view<Lanes>(!is_full);
  const bool streaming = worth_streaming(operator_bytes<Storage>(in, out, n_hop_legs));
  count_operator(in, out, n_hop_legs * 360 + (alpha != 0 ? 48 : 0),
                 (is_full ? n_hop_legs / 2 : n_hop_legs) * bytes_of_site<ColorMatrix, Storage>,
                 alpha != 0 && diagonal.data() != in.data() ? double(diagonal.bytes()) : 0);
  const double sign = adjoint ? -1 : 1;
  const HopWeights &near = hop.near(), &far = hop.far();
  run_stencil<StencilForms::any>("improved_hop", hop.halos(), in, out,
                                 [&](const auto& neighbours, const auto& stencil) {
                                   using Kernel =
                                       ImprovedHopKernel<Links, std::decay_t<decltype(neighbours)>, typename F::View>;
                                   return Kernel{stencil,
                                                 links,
                                                 neighbours,
                                                 diagonal.view(),
                                                 out.view(),
                                                 in.n_groups(),
                                                 T(alpha),
                                                 {T(beta * near.one), T(beta * far.one)},
                                                 {T(sign * beta * near.gamma), T(sign * beta * far.gamma)},
                                                 streaming};
                                 },
                                 {.codec = hop.links().codec(), .exec = exec});
}

#define KOV_INSTANTIATE(T, Lanes) template struct ImprovedHopOn<T, SpinorField<T, Lanes>>
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace detail

template <class Storage, class T>
GaugeLinks<Storage> links_of_two_lengths(const GaugeField<T>& gauge, int length, const LegFactors& factors) {
  require(gauge.n_components() == 4 && gauge.subset() == Subset::all, gauge.name(),
          "is no gauge field: it needs four links on every site");
  require(length == 2 || length == 3, "legs of", length, "links were asked for: an improved hop has 2 or 3");
  const Field<ColorMatrix, T> all(gauge.lattice(), "links of two lengths", 8), ahead(gauge.lattice(), "links ahead");
  std::vector<Coord> steps;
  for (const int n : {1, length})
    for (std::size_t mu = 0; mu < 4; ++mu) {
      steps.push_back({});
      steps.back()[mu] = n;
    }
  for (int mu = 0; mu < 4; ++mu) {
    const auto u = gauge.column(mu), w = all.column(4 + mu);
    copy(u, all.column(mu));
    copy(u, w);
    for (int n = 1; n < length; ++n) {
      shift(w, mu, +1, ahead);
      for_each_site("link_products", w.range(), detail::LinkProductKernel<T>{u.view(), ahead.view(), w.view()});
    }
  }
  return GaugeLinks<Storage>(steps, all, factors);
}

template <class Storage>
ImprovedHop<Storage>::ImprovedHop(const GaugeLinks<Storage>& links, const HopWeights& near, const HopWeights& far,
                                  const LinkForms& forms)
    : links_(links.with(forms)), near_(near), far_(far), halos_(lattice(), links.legs()) {
  const auto& legs = links.legs();
  bool fits = legs.size() == std::size_t(detail::n_hop_legs);
  for (std::size_t l = 0; fits && l < legs.size(); ++l)
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const bool along = mu == l % 8 / 2;
      fits = fits && (along ? legs[l][mu] * (l % 2 == 0 ? 1 : -1) > 0 : legs[l][mu] == 0);
    }
  require(fits, "an improved hop needs links of sixteen straight legs of two lengths: links_of_two_lengths() has them");
}

template <class Storage>
bool ImprovedHop<Storage>::changes_parity() const {
  return change_parity(links_.legs());
}

template GaugeLinks<float> links_of_two_lengths(const GaugeField<float>&, int, const LegFactors&);
template GaugeLinks<float> links_of_two_lengths(const GaugeField<double>&, int, const LegFactors&);
template GaugeLinks<double> links_of_two_lengths(const GaugeField<double>&, int, const LegFactors&);
template class ImprovedHop<float>;
template class ImprovedHop<double>;

}  // namespace kov
