// SPDX-License-Identifier: MIT
//
// TwistedMassTerm: the site term of twisted-mass operators without a clover term.
#pragma once

#include "kov/core/site/spin_basis.hpp"
#include "kov/stencil/dirac/site_term.hpp"

namespace kov {

namespace detail {

/// out = (number + i twist g5) in, on fields of one shape.
template <class F>
struct TwistOn {
  static void apply(double number, double twist, SpinBasis basis, const F& in, const F& out, const Exec& exec);
};

}  // namespace detail

/// D = 4 + m + i mu g5 (Frezzotti, Grassi, Sint and Weisz, JHEP 08 (2001) 058), or with an anisotropy 1 + 3 nu / xi0
/// instead of 4.  D^-1 = (4 + m - i mu g5) / ((4 + m)^2 + mu^2).
///
/// apply() and apply_inverse() take two different fields of equal shape, on all sites or those of one parity.
/// Asynchronous, ordered on exec.  Both throw InputError when the shapes do not fit, and in the non-relativistic basis
/// for fields without takes_nonrelativistic; apply_inverse() also for 4 + m = mu = 0, where D has no inverse.  96 flops
/// and 48 reals of memory traffic a site.
struct TwistedMassTerm {
  /// m = 1 / (2 kappa) - 4 and the twisted mass, in lattice units.
  double mass, mu;
  Anisotropy anisotropy = {};
  /// Of the fields it is applied to.
  SpinBasis basis = SpinBasis::chiral;

  /// The same term on fields in this basis.
  TwistedMassTerm with_basis(SpinBasis of_fields) const { return {mass, mu, anisotropy, of_fields}; }
  /// 4 + m if mu is 0.
  std::optional<double> number() const {
    if (mu != 0) return {};
    return diagonal();
  }

  template <class S, class Lanes>
  void apply(const SpinorField<S, Lanes>& in, const SpinorField<S, Lanes>& out, bool adjoint = false,
             const Exec& exec = {}) const {
    twist(diagonal(), adjoint ? -mu : mu, in, out, exec);
  }
  template <class S, class Lanes>
  void apply_inverse(const SpinorField<S, Lanes>& in, const SpinorField<S, Lanes>& out, bool adjoint = false,
                     const Exec& exec = {}) const {
    const double square = diagonal() * diagonal() + mu * mu;
    require(square > 0, "a twisted mass with 4 + m = 0 and mu = 0 has no inverse: give another mass or mu");
    twist(diagonal() / square, (adjoint ? mu : -mu) / square, in, out, exec);
  }

 private:
  double diagonal() const { return anisotropy.diagonal(mass); }
  template <class F>
  void twist(double number, double twist, const F& in, const F& out, const Exec& exec) const {
    require(in.conforms(out), "the twisted mass got", in.name(), "and", out.name(),
            "whose lattices, sites or columns do not fit: give it two fields of one shape");
    detail::TwistOn<F>::apply(number, twist, basis, in, out, exec);
  }
};

}  // namespace kov
