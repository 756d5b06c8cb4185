// SPDX-License-Identifier: MIT
//
// Propagators in whole-lattice statements: a correlator is one statement and one kernel,
//   slice_sum(trace(g5 * adj(S) * g5 * Gamma * S * Gamma) * phase(lattice, p, origin)).
#pragma once

#include "kov/contractions/sources/propagator.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "kov/stencil/statements/spin_color_term.hpp"

namespace kov {

// In an expression a propagator is a matrix in spin and colour at each site.  It is multiplied by gammas, spin
// matrices, colour matrices (of fields: U.column(mu) * shift(S, mu, +1)), numbers and other propagators, from both
// sides; added; turned by adj, transpose and conj; and traced by trace, trace_spin and trace_color.  diquark(X, Y) is
// what baryons are made of.  A trace of a product is summed without making the product.

template <class T>
struct detail::OperandTerm<Propagator<T>> {
  static SpinColorTerm<T> of(const Propagator<T>& s) { return {term(s.columns())}; }
};

/// out = expression at every site, in one kernel; out may be a propagator of the expression.  Collective where anything
/// is shifted, otherwise asynchronous.  Ordered on exec.  Errors as for fields.
template <SiteExpression E, class T>
void assign(const E& expression, const Propagator<T>& out, const Exec& exec = {}) {
  static_assert(std::is_same_v<typename E::Real, T>, "the expression has another precision than the propagator");
  detail::ExpressionPlan plan(exec);
  expression.collect(plan, false, {});
  const bool conflict = plan.prepare(detail::FieldInfo::of_whole_sites(out.columns()));
  const SpinorField<T> target =
      conflict ? out.columns().like("temporary of an assignment", exec) : out.columns().alias();
  const auto node = expression.template bind<false>(plan, {});
  using Columns = typename SpinorField<T>::View;
  for_each_site("assign_propagator", target.range(),
                detail::AssignSpinColorKernel<std::remove_const_t<decltype(node)>, Columns>{node, target.view()}, exec);
  if (conflict) copy(target, out.columns(), exec);
}

}  // namespace kov
