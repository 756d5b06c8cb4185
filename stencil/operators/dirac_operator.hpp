// SPDX-License-Identifier: MIT
//
// DiracOperator: M = D - 1/2 H, a term at each site and the hop.
#pragma once

#include "kov/stencil/operators/hop.hpp"
#include "kov/stencil/operators/site_term.hpp"

namespace kov {

/// M psi = D psi - 1/2 H psi; a propagator is M^-1 without further factors, as in Chroma.
template <class T, SiteTerm<SpinorField<T>> Term>
class DiracOperator {
 public:
  DiracOperator(const Hop<T>& hop, const Term& term) : hop_(hop), term_(term) {}

  const Lattice& lattice() const { return hop_.lattice(); }
  const Hop<T>& hop() const { return hop_; }
  const Term& site_term() const { return term_; }

  /// out = M in, both full fields.  Asynchronous.
  void apply(const SpinorField<T>& in, const SpinorField<T>& out) const { apply(in, out, false); }
  /// out = M^+ in.
  void apply_adjoint(const SpinorField<T>& in, const SpinorField<T>& out) const { apply(in, out, true); }
  /// Of terms that are a number.
  template <int W>
  void apply(const BlockField<Spinor, T, W>& in, const BlockField<Spinor, T, W>& out) const {
    const auto number = term_.number();
    require(number.has_value(), "an operator whose site term is no number was given a block: apply it to fields");
    hop_.combine(*number, -0.5, in, in, out);
  }

 private:
  void apply(const SpinorField<T>& in, const SpinorField<T>& out, bool adjoint) const {
    if (const auto number = term_.number()) return hop_.combine(*number, -0.5, in, in, out, adjoint);
    term_.apply(in, out, adjoint);
    hop_.combine(1, -0.5, in, out, out, adjoint);
  }

  Hop<T> hop_;
  Term term_;
};

}  // namespace kov
