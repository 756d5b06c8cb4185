// SPDX-License-Identifier: MIT
//
// Hop: the hopping term H of Wilson's discretisation, shared by all Dirac operators of Wilson type.
#pragma once

#include "kov/core/site/projector.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/links/cuda/load_order.hpp"
#include "kov/stencil/links/gauge_links.hpp"
#include "kov/stencil/links/links_at.hpp"
#include "kov/stencil/neighbours_at.hpp"
#include "kov/stencil/operators/hermitian_product.hpp"
#include "kov/stencil/operators/nonrelativistic.hpp"

#include <optional>
#include <utility>

namespace kov {

/// The reals that a site loads of its eight neighbours in Wilson's hop: 192, or 168 where the two along t give two
/// spins each.
constexpr int hop_neighbour_reals(SpinBasis basis) {
  int reals = 0;
  for (int mu = 0; mu < 4; ++mu) reals += 2 * (Gamma::direction(mu, basis).column[0] == 0 ? 12 : 24);
  return reals;
}

/// out(x) = alpha in(x) + beta (H psi)(x), with
/// (H psi)(x) = sum over mu of (1 - g_mu) U_mu(x) psi(x + mu) + (1 + g_mu) adj(U_mu(x - mu)) psi(x - mu);
/// sign = -1 exchanges the projectors, which is the adjoint of H.  In the chiral basis sign = 0, and lower_sign = -1
/// does that at run time: the adjoint is g5 H g5, whose signs of the lower two spins take no instruction of their own.
///
/// 1320 flops for the hop: eight legs of 12 (projection), 132 (two colour vectors) and 24 (sum), less the first sum; 24
/// + 24 + 72 link reals of memory traffic per site (144 from one parity to the other, where no link is read twice) when
/// neighbours come from cache.  In temporal gauge (TimeLinks::unit) a quarter of the link reals is not read, and CPUs
/// leave out 264 flops.  Of its eight neighbours a site loads hop_neighbour_reals() reals: in the non-relativistic
/// basis the legs along t load two spins, and leave out the 24 flops of their projections.
///
/// Product: what (H psi)(x) is multiplied by, see TimesBlocks.
template <class Links, class In, class Out, class StencilView = Stencil::NearestView,
          SpinBasis basis = SpinBasis::chiral, int sign = 0, class Product = detail::NoProduct>
struct HopKernel {
  static_assert((sign == 0) == (basis == SpinBasis::chiral));
  using Real = typename Out::Real;
  static constexpr bool takes_pairs = Out::outers == 2;

  StencilView stencil;
  Links links;
  In in;
  Out diagonal, out;
  int n_components;
  Real alpha, beta, lower_sign;
  bool streaming;
  Product product = {};

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    by_factors<Site>(
        links, [&](auto multiplies) __attribute__((always_inline)) { run<decltype(multiplies)::value>(x, c); });
  }

 private:
  template <bool multiplies, class Site>
  KOKKOS_FORCEINLINE_FUNCTION void run(Site x, int c) const {
    const auto near = stencil.at(x);
    const LinksAt<Links, Site, 8, multiplies> u(links, x, near);
    constexpr unsigned halves = spins_left<3, 1, basis> >= 0 ? 0xc0 : 0;
    const NeighboursAt<In, Site, 8> psi(in, x, near, c, 8, halves);
    using Result = decltype(diagonal(x, c));
    using R = typename Result::Real;
    Result sum = zero<Result>();
    legs(sum, x, near, u, psi, c, links.unit_legs(near), std::make_integer_sequence<int, 8>{});
    if constexpr (sign == 0) {
      const R upper(beta), lower(beta * lower_sign);
      kov::unroll<12>([&](int i) __attribute__((always_inline)) { sum.z[i] = (i < 6 ? upper : lower) * sum.z[i]; });
    } else {
      sum = R(beta) * sum;
    }
    if constexpr (!std::is_same_v<Product, detail::NoProduct>) {
      if (streaming) product.prefetch_next(x, c);
      sum = product(x, sum);
    }
    if (alpha != Real(0)) multiply_add(sum, R(alpha), diagonal(x, c));
    set_or_stream(out, x, sum, c, streaming);
  }
  template <class Sum, class Site, class Near, class U, class Psi, int... k>
  KOKKOS_FORCEINLINE_FUNCTION void legs(Sum& sum, Site x, const Near& near, const U& u, const Psi& psi, int c,
                                        unsigned unit, std::integer_sequence<int, k...>) const {
    (leg<detail::hop_leg_in_turn<Site, Out>(k)>(sum, x, near, u, psi, c, unit), ...);
  }
  /// The matrix of a leg.
  template <int number, class Site, class U, class Hop>
  static KOKKOS_FORCEINLINE_FUNCTION auto link(const U& u, const Hop& hop) {
    if constexpr (number / 2 == 3 && detail::loads_unit_links<Site>)
      return u.template of_leg_in_time<number % 2 == 1>(hop, number);
    else
      return u.template of_leg<number % 2 == 1>(hop, number);
  }
  /// What a leg with the projector 1 + projector g_mu needs of its neighbour.
  template <int mu, int projector, class Psi, class Hop>
  static KOKKOS_FORCEINLINE_FUNCTION auto needed(const Psi& psi, const Hop& hop, int number) {
    constexpr int first = spins_left<mu, projector, basis>;
    if constexpr (first >= 0)
      return psi.template read_half<first>(hop, number);
    else
      return psi.read(hop, number);
  }
  /// Forward legs carry (1 - sign g_mu), backward ones (1 + sign g_mu).
  template <int number, class Sum, class Site, class Near, class U, class Psi>
  KOKKOS_FORCEINLINE_FUNCTION void leg(Sum& sum, Site x, const Near& near, const U& u, const Psi& psi, int c,
                                       [[maybe_unused]] unsigned unit) const {
    constexpr int mu = number / 2, of_hop = sign == 0 ? 1 : sign, projector = number % 2 == 0 ? -of_hop : of_hop;
    // Two legs at once, which is faster than one by one, and in x and y too, which sums over whole spinors leave out.
    if (streaming && number % 2 == 0) {
      prefetch_next_on_leg(stencil, near, links, in, x, number, c, n_components);
      prefetch_next_on_leg(stencil, near, links, in, x, number + 1, c, n_components);
    }
    if constexpr (detail::hop_orders_loads<Site>(number)) detail::order_loads();
    using R = typename Sum::Real;
    const R lower(sign == 0 ? lower_sign : Real(1));
    const auto hop = near(number);
    if constexpr (mu == 3 && !detail::loads_unit_links<Site>)
      if (unit >> number & 1)
        return reconstruct_add<mu, projector, basis>(
            sum, projected<mu, projector, R, basis>(needed<mu, projector>(psi, hop, number), lower));
    const auto at = needed<mu, projector>(psi, hop, number);
    if constexpr (requires { at.unit; })
      reconstruct_add<mu, projector, basis>(
          sum, u.times_factor(at.unit, hop, number),
          multiply_projected<mu, projector, R, basis>(u.template without_factor<number % 2 == 1>(hop, number), at.site,
                                                      lower));
    else
      reconstruct_add<mu, projector, basis>(
          sum, multiply_projected<mu, projector, R, basis>(link<number, Site>(u, hop), at, lower));
  }
};

template <class StorageT>
class Hop;

namespace detail {

/// Hop::combine() on fields of one shape.
template <class Storage, class F, SpinBasis basis = SpinBasis::chiral>
struct HopOn {
  static void combine(const Hop<Storage>& hop, double alpha, double beta, const F& in, const F& diagonal, const F& out,
                      bool adjoint, const Exec& exec);
};

}  // namespace detail

/// Whether hops on links in Storage are compiled for fields F in the non-relativistic basis: links of 18 reals in the
/// precision of F, on GPUs also those of 12 in the storage of F.
template <class Storage, class F>
inline constexpr bool hops_nonrelativistic = takes_nonrelativistic<F> &&
                                             (std::is_same_v<Storage, typename F::Real> ||
                                              (!has_packs && std::is_same_v<Storage, Links12<typename F::Storage>>));

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
  Hop with(const LinkForms& forms) const { return Hop(links_, forms, halos_.wire()).with_basis(basis_); }
  /// The same hop with halos of its own, in which spinors of floats and doubles travel in this precision, whatever the
  /// lattice's ExchangeOptions say.  Those of 16 bits always travel in 16 bits.  Collective.
  Hop with_wire(ExchangeOptions::Wire wire) const { return Hop(links_, {}, wire).with_basis(basis_); }
  /// The same hop on fields in this basis of spin: S H S, see SpinBasis.  The non-relativistic one is for fields and
  /// links with hops_nonrelativistic; others throw InputError when it is applied.  Throws InputError for it if the legs
  /// are not the nearest neighbours.
  Hop with_basis(SpinBasis basis) const;

  const Lattice& lattice() const { return links_.lattice(); }
  const GaugeLinks<Storage>& links() const { return links_; }
  const StencilHalos& halos() const { return halos_; }
  SpinBasis basis() const { return basis_; }

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
    static_assert(
        !FixedPoint<S> || !Lanes::holds_columns,
        "spinors in 16 and 8 bits have sites in lanes: SpinorField<Fixed16> with a component for each column; "
        "columns in lanes are faster in float, see docs/performance.md");
    static_assert(!Lanes::holds_columns || detail::have_column_form<Storage>,
                  "links of 8 numbers or of integers take fields with sites in lanes, a component for each column");
    using F = SpinorField<S, Lanes>;
    if (basis_ == SpinBasis::chiral)
      detail::HopOn<Storage, F>::combine(*this, alpha, beta, in, diagonal, out, adjoint, exec);
    else if constexpr (hops_nonrelativistic<Storage, F>)
      detail::HopOn<Storage, F, SpinBasis::nonrelativistic>::combine(*this, alpha, beta, in, diagonal, out, adjoint,
                                                                     exec);
    else
      detail::refuse_nonrelativistic(in);
  }

 private:
  Hop(const GaugeLinks<Storage>& links, const LinkForms& forms, std::optional<ExchangeOptions::Wire> wire);

  GaugeLinks<Storage> links_;
  StencilHalos halos_;
  SpinBasis basis_ = SpinBasis::chiral;
};

}  // namespace kov
