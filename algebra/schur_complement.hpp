// SPDX-License-Identifier: MIT
//
// SchurComplement: a Dirac operator after its odd sites were eliminated.
#pragma once

#include "kov/stencil/dirac/dirac_operator.hpp"

namespace kov {

/// The Schur complement of M = D - 1/2 H on the even sites: M_e = D_ee - 1/4 H_eo D_oo^-1 H_oe.  For any site term D.
///
/// Storage: of the links.  FieldT: what it works on, spinors of any precision, of sites or columns in lanes.  Keeps two
/// fields to work in, which copies share: do not apply two of them at the same time.
template <class Storage, class Term, class FieldT = SpinorField<real_of_storage_t<ColorMatrix, Storage>>>
requires SiteTerm<Term, FieldT>
class SchurComplement {
 public:
  using F = FieldT;

  /// n_components: of the fields it works on.  Throws InputError for a site term that is 0.
  explicit SchurComplement(const DiracOperator<Storage, Term>& M, int n_components = 1)
      : hop_(M.hop().with(forms)),
        term_(detail::term_with(M.site_term(), forms)),
        number_(detail::number_of(term_)),
        hopped_(M.lattice(), "odd sites", n_components, Subset::odd) {
    require(number_ != 0, "even-odd preconditioning divides by 4 + mass, which is 0: solve for all sites instead");
    if (!number_) solved_ = hopped_.like("odd sites");
  }

  const Lattice& lattice() const { return hop_.lattice(); }
  /// out = M_e in, both on even sites.
  void apply(const F& in, const F& out, const Exec& exec = {}) const { combine(in, out, false, exec); }
  void apply_adjoint(const F& in, const F& out, const Exec& exec = {}) const { combine(in, out, true, exec); }

  /// out = b_e + 1/2 H_eo D_oo^-1 b_o: the source on even sites of a full source b.
  void reduce_source(const F& b, const F& out, const Exec& exec = {}) const {
    if (number_) {
      hop_.combine(1, 1 / (2 * *number_), b.odd(), b.even(), out, false, exec);
    } else if constexpr (!NumberTerm<Term>) {
      term_.apply_inverse(b.odd(), solved_, false, exec);
      hop_.combine(1, 0.5, solved_, b.even(), out, false, exec);
    }
  }
  /// x_o = D_oo^-1 (b_o + 1/2 H_oe x_e): completes a full solution whose even sites solve the reduced system.
  void complete(const F& b, const F& x, const Exec& exec = {}) const {
    if (number_) {
      const double d = *number_;
      hop_.combine(1 / d, 1 / (2 * d), x.even(), b.odd(), x.odd(), false, exec);
    } else if constexpr (!NumberTerm<Term>) {
      hop_.combine(1, 0.5, x.even(), b.odd(), hopped_, false, exec);
      term_.apply_inverse(hopped_, x.odd(), false, exec);
    }
  }

 private:
  void combine(const F& in, const F& out, bool adjoint, const Exec& exec) const {
    hop_.combine(0, 1, in, hopped_, hopped_, adjoint, exec);
    if (number_) {
      const double d = *number_;
      hop_.combine(d, -1 / (4 * d), hopped_, in, out, adjoint, exec);
    } else if constexpr (!NumberTerm<Term>) {
      term_.apply_inverse(hopped_, solved_, adjoint, exec);
      term_.apply(in, out, adjoint, exec);
      hop_.combine(1, -0.25, solved_, out, out, adjoint, exec);
    }
  }

  static constexpr LinkForms forms{.doubled = !F::Lanes::holds_columns, .columns = F::Lanes::holds_columns};

  Hop<Storage> hop_;
  Term term_;
  std::optional<double> number_;
  F hopped_, solved_;
};

}  // namespace kov
