// SPDX-License-Identifier: MIT
//
// SiteTerm: what a Dirac operator does at each site alone, and the simplest of them, the mass.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <concepts>
#include <optional>

namespace kov {

/// D of M = D - 1/2 H: apply(in, out, adjoint, exec) is out = D in, or D^+ in, ordered on exec, for two different
/// fields on the same sites, all or those of one parity; apply_inverse likewise.  number(): D where it is one real
/// number at every site, which the kernels of the hop then multiply by; nothing for other terms.
template <class D, class F>
concept SiteTerm = requires(const D& term, const F& in, const F& out, bool adjoint, const Exec& exec) {
  term.apply(in, out, adjoint, exec);
  term.apply_inverse(in, out, adjoint, exec);
  { term.number() } -> std::same_as<std::optional<double>>;
};

/// mass m = 1 / (2 kappa) - 4.
inline double mass_of_kappa(double kappa) { return 1 / (2 * kappa) - 4; }

/// D = 4 + m.
struct MassTerm {
  double mass;

  std::optional<double> number() const { return 4 + mass; }
  template <class F>
  requires requires(const F& f) { copy(f, f); }
  void apply(const F& in, const F& out, bool /*adjoint*/, const Exec& exec = {}) const {
    copy(in, out, exec);
    scale(4 + mass, out, exec);
  }
  /// Throws InputError for a mass of -4.
  template <class F>
  requires requires(const F& f) { copy(f, f); }
  void apply_inverse(const F& in, const F& out, bool /*adjoint*/, const Exec& exec = {}) const {
    require(mass != -4, "a mass of -4 makes a term of 0, which has no inverse: solve for all sites instead");
    copy(in, out, exec);
    scale(1 / (4 + mass), out, exec);
  }
};

}  // namespace kov
