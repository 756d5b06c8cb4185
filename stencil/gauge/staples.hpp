// SPDX-License-Identifier: MIT
//
// Staples: the open plaquettes around a link.  The staple that bends backwards has its corner two steps away, so it is
// computed at the site where it starts and fetched by one more exchange.
#pragma once

#include "kov/core/launch/sum_terms.hpp"
#include "kov/core/site/su3.hpp"
#include "kov/stencil/launch/run_stencil.hpp"

#include <array>
#include <string>

namespace kov {

/// Directions that take part in something, in the order x y z t.
using Directions = std::array<bool, 4>;
inline constexpr Directions space_directions{true, true, true, false};
inline constexpr Directions all_directions{true, true, true, true};

/// staples(x) = sum over nu != mu of U_nu(x) U_mu(x + nu) U_nu(x + mu)^+ + U_nu(x - nu)^+ U_mu(x - nu) U_nu(x - nu +
/// mu), so that Re tr U_mu(x) staples(x)^+ is the sum of the plaquettes at the link.
///
/// In four dimensions 3 * (2 * 198 + 36) flops here and 3 * 2 * 198 for the lower halves.  Kernels ask for the staples
/// before they load the link itself, which would fill registers meanwhile.
template <class T>
struct StapleView {
  Stencil::NearestView stencil;
  NeighbourView<ColorMatrix, T> u[4], lower;
  int mu;
  bool along[4];
  /// Whether fields exceed the caches, so that prefetching pays.
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    const auto near = stencil.at(x);
    if (streaming) prefetch(Site(x));
    auto sum = zero<decltype(lower(x))>();
    for (int nu = 0, k = 0; nu < 4; ++nu) {
      if (nu == mu || !along[nu]) continue;
      sum += u[nu](x) * (u[mu].neighbour(x, near, 2 * nu, 0) * adj(u[nu].neighbour(x, near, 2 * mu, 0)));
      sum += lower.neighbour(x, near, 2 * nu + 1, k++);
    }
    return sum;
  }

  /// Prefetches what the next site will read.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] Site x) const {
    if constexpr (!std::is_same_v<Site, LaneSite>) {
      const Site after = site_after(x);
      const auto next = stencil.at(after);
      for (int nu = 0, k = 0; nu < 4; ++nu) {
        if (nu == mu || !along[nu]) continue;
        u[nu].field().prefetch(after.outer, 0);
        prefetch_neighbour(u[nu], next, 2 * mu, 0);
        prefetch_neighbour(u[mu], next, 2 * nu, 0);
        prefetch_neighbour(lower, next, 2 * nu + 1, k++);
      }
    }
  }
};

/// Keeps what the staples of a gauge field need from elsewhere up to date while the field changes.
template <class T>
class Staples {
 public:
  /// nu runs over these directions.  Collective.
  explicit Staples(const GaugeField<T>& gauge, const Directions& directions = all_directions);

  /// To be called after U_mu has changed on sites of this parity.  Collective.
  void changed(int mu, Subset parity);

  /// Runs kernel(x) = make(staples)(x) on the sites of `out`, a field of one component, as run_stencil() does while
  /// lower staples are exchanged.  staples: a StapleView of the links U_mu; the kernel may change U_mu on its sites
  /// where `out` has one parity.  Collective.
  template <class Make>
  void for_each_staple(const std::string& name, int mu, const Field<ColorMatrix, T>& out, const Make& make) {
    const GaugeField<T> lower = lower_staples(mu, out.subset());
    run_stencil<StencilForms::nearest>(name, Stencil::of(gauge_.lattice()), lower_halo_, lower, out,
                                       [&](const auto& neighbours, const auto& stencil) {
                                         StapleView<T> staples = view_;
                                         staples.stencil = stencil;
                                         staples.lower = {lower_.view(), neighbours.halo()};
                                         return detail::SingleGroup<decltype(make(staples))>{make(staples)};
                                       });
  }

 private:
  /// Computes the lower staples that sites of this parity need of others.
  GaugeField<T> lower_staples(int mu, Subset parity);

  GaugeField<T> gauge_, lower_;
  Halo<ColorMatrix, T> halo_[4], lower_halo_;
  StapleView<T> view_;  // without `stencil` and `lower`
};

namespace detail {
/// What all smearings of links ask of their parameters: a finite strength, steps that are not negative, two directions.
void require_smearing(double strength, const char* what, int n, const Directions& directions);
}  // namespace detail

}  // namespace kov
