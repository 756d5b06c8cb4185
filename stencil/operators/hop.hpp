// SPDX-License-Identifier: MIT
//
// Hop: the hopping term H of Wilson's discretisation, shared by all Dirac operators of Wilson type.
#pragma once

#include "kov/core/site/projector.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/neighbours_at.hpp"
#include "kov/stencil/operators/gauge_links.hpp"

#include <optional>
#include <utility>

namespace kov {

/// out(x) = alpha in(x) + beta (H psi)(x), with
/// (H psi)(x) = sum over mu of (1 - g_mu) U_mu(x) psi(x + mu) + (1 + g_mu) adj(U_mu(x - mu)) psi(x - mu);
/// sign = -1 exchanges the projectors, which is the adjoint of H; where In is NeighboursTimesGamma5, that decides.
///
/// 1320 flops for the hop: eight legs of 12 (projection), 132 (two colour vectors) and 24 (sum), less the first sum; 24
/// + 24 + 72 link reals of memory traffic per site (144 from one parity to the other, where no link is read twice) when
/// neighbours come from cache.  In temporal gauge (TimeLinks::unit) a quarter of the link reals is not read, and CPUs
/// leave out 264 flops.
template <class Links, class In, class Out, int sign, class StencilView = Stencil::NearestView>
struct HopKernel {
  using Real = typename Out::Real;
  static constexpr bool takes_pairs = Out::outers == 2;

  StencilView stencil;
  Links links;
  In in;
  Out diagonal, out;
  int n_components;
  Real alpha, beta;
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    if constexpr (std::is_same_v<Site, LaneSite>)
      if (!links.has_factors()) return run<false>(x, c);
    run<true>(x, c);
  }

 private:
  template <bool multiplies, class Site>
  KOKKOS_FORCEINLINE_FUNCTION void run(Site x, int c) const {
    const auto near = stencil.at(x);
    const LinksAt<Links, Site, 8, multiplies> u(links, x, near);
    const NeighboursAt<In, Site, 8> psi(in, x, near, c);
    using Result = decltype(diagonal(x, c));
    using R = typename Result::Real;
    Result sum = zero<Result>();
    legs(sum, x, near, u, psi, c, links.unit_legs(near), std::make_integer_sequence<int, 8>{});
    if constexpr (requires { in.lower_sign(); }) {
      // If `in` is times g5, so is the result: g5 H g5 is the adjoint of H.
      const R upper(beta), lower(beta * in.lower_sign());
      kov::unroll<12>([&](int i) __attribute__((always_inline)) { sum.z[i] = (i < 6 ? upper : lower) * sum.z[i]; });
    } else {
      sum = R(beta) * sum;
    }
    if (alpha != Real(0)) multiply_add(sum, R(alpha), diagonal(x, c));
    if (streaming)
      out.stream(x, sum, c);
    else
      out.set(x, sum, c);
  }
  template <class Sum, class Site, class Near, class U, class Psi, int... k>
  KOKKOS_FORCEINLINE_FUNCTION void legs(Sum& sum, Site x, const Near& near, const U& u, const Psi& psi, int c,
                                        unsigned unit, std::integer_sequence<int, k...>) const {
    if constexpr (std::is_same_v<Site, LaneSite> && !Out::holds_columns)
      (leg<leg_in_turn(k, 8)>(sum, x, near, u, psi, c, unit), ...);
    else
      (leg<k>(sum, x, near, u, psi, c, unit), ...);
  }
  /// Forward legs carry (1 - sign g_mu), backward ones (1 + sign g_mu).
  template <int number, class Sum, class Site, class Near, class U, class Psi>
  KOKKOS_FORCEINLINE_FUNCTION void leg(Sum& sum, Site x, const Near& near, const U& u, const Psi& psi, int c,
                                       [[maybe_unused]] unsigned unit) const {
    constexpr int mu = number / 2, projector = number % 2 == 0 ? -sign : sign;
    // Two legs at once, which is faster than one by one.
    if (streaming && number % 2 == 0) {
      prefetch_next(stencil, near, links, in, x, number, c, n_components);
      prefetch_next(stencil, near, links, in, x, number + 1, c, n_components);
    }
    if constexpr (std::is_same_v<Site, LaneSite> && number % 4 == 0) detail::order_loads();
    using R = typename Sum::Real;
    const auto hop = near(number);
    if constexpr (mu == 3 && !std::is_same_v<Site, LaneSite>)
      if (unit >> number & 1)
        return reconstruct_add<mu, projector>(sum, projected<mu, projector, R>(psi.read(hop, number)));
    const auto at = psi.read(hop, number);
    if constexpr (requires { at.unit; })
      reconstruct_add<mu, projector>(
          sum, u.times_factor(at.unit, hop, number),
          multiply_projected<mu, projector, R>(u.template without_factor<number % 2 == 1>(hop, number), at.site));
    else
      reconstruct_add<mu, projector>(
          sum, multiply_projected<mu, projector, R>(u.template of_leg<number % 2 == 1>(hop, number), at));
  }
};

template <class StorageT>
class Hop;

namespace detail {

/// Hop::combine() on fields of one shape.
template <class Storage, class F>
struct HopOn {
  static void combine(const Hop<Storage>& hop, double alpha, double beta, const F& in, const F& diagonal, const F& out,
                      bool adjoint, const Exec& exec);
};

}  // namespace detail

/// H, see HopKernel.  A handle: copies share the links.  Storage: of the links.
template <class StorageT>
class Hop {
 public:
  using Storage = StorageT;

  /// The links include the boundary phases: GaugeLinks(gauge, BoundaryAngles::antiperiodic_in_time()).  Their legs may
  /// have any odd length, in the order +x -x ... -t of the nearest neighbours.  forms: what the hop will be applied to
  /// besides full fields.  Throws InputError for other legs.
  explicit Hop(const GaugeLinks<Storage>& links, const LinkForms& forms = {});
  /// The same hop with these forms made as well.
  Hop with(const LinkForms& forms) const { return Hop(links_, forms, halos_.wire()); }
  /// The same hop with halos of its own, in which spinors of floats and doubles travel in this precision, whatever the
  /// lattice's ExchangeOptions say.  Those of 16 bits always travel in 16 bits.  Collective.
  Hop with_wire(ExchangeOptions::Wire wire) const { return Hop(links_, {}, wire); }

  const Lattice& lattice() const { return links_.lattice(); }
  const GaugeLinks<Storage>& links() const { return links_; }
  const StencilHalos& halos() const { return halos_; }

  /// out = H in: both full, or of opposite parity.  Asynchronous, ordered on exec.
  template <class F>
  void apply(const F& in, const F& out, const Exec& exec = {}) const {
    combine(0, 1, in, out, out, false, exec);
  }
  template <class F>
  void apply_adjoint(const F& in, const F& out, const Exec& exec = {}) const {
    combine(0, 1, in, out, out, true, exec);
  }

  /// out = alpha diagonal + beta H in, or with the adjoint of H, for every component.  in has the sites opposite to
  /// out's (or all), diagonal has out's and may be out.  Throws InputError when the shapes do not fit.
  template <class S, class Lanes>
  void combine(double alpha, double beta, const SpinorField<S, Lanes>& in, const SpinorField<S, Lanes>& diagonal,
               const SpinorField<S, Lanes>& out, bool adjoint = false, const Exec& exec = {}) const {
    static_assert(!FixedPoint<S> || !Lanes::holds_columns,
                  "spinors in 16 and 8 bits have sites in lanes: SpinorField<Fixed16> with a component for each column; "
                  "columns in lanes are faster in float, see docs/performance.md");
    detail::HopOn<Storage, SpinorField<S, Lanes>>::combine(*this, alpha, beta, in, diagonal, out, adjoint, exec);
  }

 private:
  Hop(const GaugeLinks<Storage>& links, const LinkForms& forms, std::optional<ExchangeOptions::Wire> wire);

  GaugeLinks<Storage> links_;
  StencilHalos halos_;
};

}  // namespace kov
