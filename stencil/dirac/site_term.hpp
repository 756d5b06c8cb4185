// SPDX-License-Identifier: MIT
//
// SiteTerm: the part of a Dirac operator that acts at each site separately, and the simplest one, the mass.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/site/hermitian_blocks.hpp"
#include "kov/core/site/spin_basis.hpp"
#include "kov/stencil/dirac/anisotropy.hpp"
#include "kov/stencil/links/gauge_links.hpp"

#include <concepts>
#include <optional>

namespace kov {

/// D of M = D - 1/2 H if D is the same real number, number(), at every site; the hop's kernels multiply by that number.
template <class D>
concept NumberTerm = requires(const D& term) {
  { term.number() } -> std::same_as<double>;
};

/// Any D, a 12 x 12 matrix in spin and colour at each site: a NumberTerm, or apply(in, out, adjoint, exec) sets out = D
/// in, or D^+ in if adjoint, for every component of two different fields F on the same sites: all or those of one
/// parity.  apply_inverse() does the same with the inverse of D, and throws InputError if there is none.  Both are
/// asynchronous, ordered on exec.  Beside these, a term that is a number for some parameters only may say so: number()
/// is then a std::optional<double>; one that works in the non-relativistic basis has with_basis(), which returns the
/// term on fields in a SpinBasis; one whose apply_inverse() is a product with Hermitian blocks of each site may have
/// inverse_view<F>(), which returns them, or nothing where it is not: hops then do both in one pass.
template <class D, class F>
concept SiteTerm = NumberTerm<D> || requires(const D& term, const F& in, const F& out, bool adjoint, const Exec& exec) {
  term.apply(in, out, adjoint, exec);
  term.apply_inverse(in, out, adjoint, exec);
};

/// The bare mass m = 1 / (2 kappa) - 4, in lattice units.
inline double mass_of_kappa(double kappa) { return 1 / (2 * kappa) - 4; }

/// D = 4 + m, or what the anisotropy makes of it.
struct MassTerm {
  /// m, in lattice units (of time, on anisotropic lattices).
  double mass;
  Anisotropy anisotropy = {};
  /// 4 + m, or Anisotropy::diagonal().
  double number() const { return anisotropy.diagonal(mass); }
};

namespace detail {

/// Blocks that kernels multiply spinors F by, in the form of the links that such kernels read.
template <class F>
using HermitianView = FieldView<HermitianBlocks, typename F::Real, link_lanes_t<typename F::Lanes>>;

/// The number that a term is at every site, if it is one.
template <class Term>
std::optional<double> number_of(const Term& term) {
  if constexpr (requires { term.number(); })
    return term.number();
  else
    return {};
}

/// The term with what it needs for these forms, if it has any.
template <class Term>
Term term_with(const Term& term, const LinkForms& forms) {
  if constexpr (requires { term.with(forms); })
    return term.with(forms);
  else
    return term;
}

/// The term on fields in this basis: those that know it, and numbers, which are the same in all.
template <class Term>
requires kov::NumberTerm<Term> || requires(const Term& term, SpinBasis basis) { term.with_basis(basis); }
Term term_in_basis(const Term& term, SpinBasis basis) {
  if constexpr (requires { term.with_basis(basis); })
    return term.with_basis(basis);
  else
    return term;
}

}  // namespace detail

}  // namespace kov
