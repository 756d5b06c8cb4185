// SPDX-License-Identifier: MIT
//
// DiracOperator: M = D - 1/2 H, a term at each site and the hop.
#pragma once

#include "kov/stencil/dirac/site_term.hpp"
#include "kov/stencil/operators/hop.hpp"

namespace kov {

/// M psi = D psi - 1/2 H psi; a propagator is M^-1 without further factors, as in Chroma.  Storage: of the links.
/// HopT: of H, with lattice() and combine() as Hop has them.
template <class StorageT, class Term, class HopT = Hop<StorageT>>
class DiracOperator {
 public:
  using Storage = StorageT;

  DiracOperator(const HopT& hop, const Term& term) : hop_(hop), term_(term) {}

  const Lattice& lattice() const { return hop_.lattice(); }
  const HopT& hop() const { return hop_; }
  const Term& site_term() const { return term_; }

  /// The same operator with neighbours in this precision on the wire: see Hop::with_wire().  For the inner solves of
  /// mixed precision, whose lattice has ExchangeOptions::Wire::full for the outer ones.  Collective.
  DiracOperator with_wire(ExchangeOptions::Wire wire) const { return DiracOperator(hop_.with_wire(wire), term_); }
  /// The same operator on fields in this basis of spin, S M S: see SpinBasis and Hop::with_basis().  For operators
  /// inside Transformed, with the QuarkTransformation to that basis.  Of terms that are numbers or have with_basis().
  DiracOperator with_basis(SpinBasis basis) const {
    return DiracOperator(hop_.with_basis(basis), detail::term_in_basis(term_, basis));
  }

  /// out = M in, both full fields, for every component.  Asynchronous, ordered on exec.
  template <class S, class Lanes>
  requires SiteTerm<Term, SpinorField<S, Lanes>>
  void apply(const SpinorField<S, Lanes>& in, const SpinorField<S, Lanes>& out, const Exec& exec = {}) const {
    combine(in, out, false, exec);
  }
  /// out = M^+ in.
  template <class S, class Lanes>
  requires SiteTerm<Term, SpinorField<S, Lanes>>
  void apply_adjoint(const SpinorField<S, Lanes>& in, const SpinorField<S, Lanes>& out, const Exec& exec = {}) const {
    combine(in, out, true, exec);
  }

 private:
  template <class F>
  void combine(const F& in, const F& out, bool adjoint, const Exec& exec) const {
    if (const auto number = detail::number_of(term_)) {
      hop_.combine(*number, -0.5, in, in, out, adjoint, exec);
    } else if constexpr (!NumberTerm<Term>) {
      term_.apply(in, out, adjoint, exec);
      hop_.combine(1, -0.5, in, out, out, adjoint, exec);
    }
  }

  HopT hop_;
  Term term_;
};

}  // namespace kov
