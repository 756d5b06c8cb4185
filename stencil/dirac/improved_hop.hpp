// SPDX-License-Identifier: MIT
//
// ImprovedHop: the hopping term of actions with legs of two lengths, such as Hamber and Wu's or Naik's.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/links/gauge_links.hpp"

namespace kov {

/// The links of the nearest neighbours, then those of legs of `length` links straight on, their products: what an
/// ImprovedHop reads.  gauge: in SU(3), float or double.  Collective, fences.  Throws InputError for a field without
/// four links a site, for a length that is not 2 or 3, and where so long a leg reaches beyond the next rank.
template <class Storage, class T>
GaugeLinks<Storage> links_of_two_lengths(const GaugeField<T>& gauge, int length, const LegFactors& factors = {});

/// How an ImprovedHop adds the two legs of a direction mu, forward with one - gamma g_mu and backward with one + gamma
/// g_mu.  {1, 1} are the projectors of Hop.
struct HopWeights {
  double one, gamma;
};

template <class StorageT>
class ImprovedHop;

namespace detail {

/// ImprovedHop::combine() on fields of one shape.
template <class Storage, class F>
struct ImprovedHopOn {
  static void combine(const ImprovedHop<Storage>& hop, double alpha, double beta, const F& in, const F& diagonal,
                      const F& out, bool adjoint, const Exec& exec);
};

}  // namespace detail

/// (H psi)(x) = sum over mu and the two lengths n of (one_n - gamma_n g_mu) W_n(x) psi(x + n mu) + (one_n + gamma_n
/// g_mu) adj(W_n(x - n mu)) psi(x - n mu), where W_n(x) is the product of n links from x on.  A handle: copies share
/// the links.  Storage: of the links, float or double; on fields of the same precision, also columns.
template <class StorageT>
class ImprovedHop {
 public:
  using Storage = StorageT;

  /// links: of links_of_two_lengths().  near, far: the weights of the two lengths.  forms: what the hop will be applied
  /// to besides full fields, as in Hop.  Throws InputError for links of other legs.
  ImprovedHop(const GaugeLinks<Storage>& links, const HopWeights& near, const HopWeights& far,
              const LinkForms& forms = {});
  /// The same hop with these forms made as well.
  ImprovedHop with(const LinkForms& forms) const { return ImprovedHop(links_, near_, far_, forms); }

  const Lattice& lattice() const { return links_.lattice(); }
  const GaugeLinks<Storage>& links() const { return links_; }
  const StencilHalos& halos() const { return halos_; }
  const HopWeights& near() const { return near_; }
  const HopWeights& far() const { return far_; }
  /// Whether all legs lead to sites of the other parity: those of one and three links do.
  bool changes_parity() const;

  /// out = alpha diagonal + beta H in, or with the adjoint of H, for every component.  in and out are two different
  /// fields, both full or, if the hop changes parity, of opposite parity; diagonal has the sites of out, and may be in
  /// or out.  Asynchronous, ordered on exec.  Throws InputError when the shapes do not fit.
  template <class S, class Lanes>
  void combine(double alpha, double beta, const SpinorField<S, Lanes>& in, const SpinorField<S, Lanes>& diagonal,
               const SpinorField<S, Lanes>& out, bool adjoint = false, const Exec& exec = {}) const {
    detail::ImprovedHopOn<Storage, SpinorField<S, Lanes>>::combine(*this, alpha, beta, in, diagonal, out, adjoint,
                                                                   exec);
  }

 private:
  GaugeLinks<Storage> links_;
  HopWeights near_, far_;
  StencilHalos halos_;
};

}  // namespace kov
