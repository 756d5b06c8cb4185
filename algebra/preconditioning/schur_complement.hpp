// SPDX-License-Identifier: MIT
//
// SchurComplement: a Dirac operator after its odd sites were eliminated.
#pragma once

#include "kov/algebra/columns_to_work_in.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/dirac_operator.hpp"
#include "kov/stencil/dirac/hop_times_blocks.hpp"

namespace kov {

/// The forms of a Schur complement M_e of M = D - 1/2 H on the even sites.  D_ee and D_oo are the site term on even and
/// odd sites, H_eo the hop from odd to even sites.  T. DeGrand and P. Rossi, Comput. Phys. Commun. 60 (1990) 211; with
/// a term that differs from site to site K. Jansen and C. Liu, Comput. Phys. Commun. 99 (1997) 221, hep-lat/9603008.
enum class SchurForm {
  /// D_ee - 1/4 H_eo D_oo^-1 H_oe.
  asymmetric,
  /// 1 - 1/4 D_ee^-1 H_eo D_oo^-1 H_oe: better conditioned where D differs from site to site, and takes an inverse of
  /// D more.  The solution is the same.
  symmetric
};

/// The Schur complement of M = D - 1/2 H on the even sites, in one of its forms.  For any site term D.
///
/// Storage: of the links.  FieldT: what it works on, spinors of any precision, of sites or columns in lanes.  HopT:
/// Hop, or another hop that changes parity and has with(forms), such as ImprovedHop.  `in` and `out` have even sites, b
/// and x all sites; every component is a vector of its own.  Normalised as M is, without factors.  All functions are
/// asynchronous, ordered on exec, collective where the hop exchanges halos, and throw InputError when the fields have
/// other sites, lattices or numbers of components.  Keeps fields to work in, which copies share: do not apply two of
/// them at the same time.
template <class Storage, class Term, class FieldT = SpinorField<real_of_storage_t<ColorMatrix, Storage>>,
          class HopT = Hop<Storage>>
requires SiteTerm<Term, FieldT>
class SchurComplement {
 public:
  using F = FieldT;

  /// n_components: of the fields it works on, or the most; columns in lanes may be fewer by whole packs, or be those of
  /// the last packs.  Throws InputError for a site term that is 0, and for a hop that joins sites of one parity.
  explicit SchurComplement(const DiracOperator<Storage, Term, HopT>& M, int n_components = 1,
                           SchurForm form = SchurForm::asymmetric)
      : form_(form),
        hop_(M.hop().with(forms)),
        term_(detail::term_with(M.site_term(), forms)),
        number_(detail::number_of(term_)),
        hopped_(M.lattice(), "odd sites", n_components, Subset::odd) {
    if constexpr (requires { hop_.changes_parity(); })
      require(hop_.changes_parity(),
              "even-odd preconditioning was asked for with a hop that joins sites of one parity, which has no such "
              "form: solve for all sites instead");
    require(number_ != 0, "even-odd preconditioning divides by 4 + mass, which is 0: solve for all sites instead");
    if (!number_) solved_ = hopped_.like("odd sites");
    if (!number_ && is_symmetric()) even_ = F(M.lattice(), "even sites", n_components, Subset::even);
  }

  const Lattice& lattice() const { return hop_.lattice(); }
  SchurForm form() const { return form_; }
  /// out = M_e in, two different fields.
  void apply(const F& in, const F& out, const Exec& exec = {}) const { combine(in, out, false, exec); }
  /// out = M_e^+ in, two different fields.
  void apply_adjoint(const F& in, const F& out, const Exec& exec = {}) const { combine(in, out, true, exec); }

  /// out = b_e + 1/2 H_eo D_oo^-1 b_o, times D_ee^-1 in the symmetric form: the source on even sites of a full source
  /// b.
  void reduce_source(const F& b, const F& out, const Exec& exec = {}) const {
    if (number_) {
      const double d = *number_, left = is_symmetric() ? 1 / d : 1;
      hop_.combine(left, left / (2 * d), b.odd(), b.even(), out, false, exec);
    } else if constexpr (!NumberTerm<Term>) {
      const F solved = columns_of(solved_, b), even = is_symmetric() ? columns_of(even_, b) : F();
      term_.apply_inverse(b.odd(), solved, false, exec);
      hop_.combine(1, 0.5, solved, b.even(), is_symmetric() ? even : out, false, exec);
      if (is_symmetric()) term_.apply_inverse(even, out, false, exec);
    }
  }
  /// out = in, or D_ee in in the symmetric form: what a residual in this form is on even sites for M, in and out being
  /// different fields.  For completed solutions that of M is 0 on odd sites.
  void restore_residual(const F& in, const F& out, const Exec& exec = {}) const {
    if constexpr (!NumberTerm<Term>)
      if (is_symmetric() && !number_) return term_.apply(in, out, false, exec);
    copy(in, out, exec);
    if (is_symmetric()) scale(*number_, out, exec);
  }
  /// x_o = D_oo^-1 (b_o + 1/2 H_oe x_e): completes a full solution whose even sites solve the reduced system.
  void complete(const F& b, const F& x, const Exec& exec = {}) const {
    if (number_) {
      const double d = *number_;
      hop_.combine(1 / d, 1 / (2 * d), x.even(), b.odd(), x.odd(), false, exec);
    } else if constexpr (!NumberTerm<Term>) {
      const F hopped = columns_of(hopped_, b);
      hop_.combine(1, 0.5, x.even(), b.odd(), hopped, false, exec);
      term_.apply_inverse(hopped, x.odd(), false, exec);
    }
  }

 private:
  bool is_symmetric() const { return form_ == SchurForm::symmetric; }

  void combine(const F& in, const F& out, bool adjoint, const Exec& exec) const {
    const F hopped = columns_of(hopped_, in);
    if (number_) {
      const double d = *number_, left = is_symmetric() ? 1 / d : 1;
      hop_.combine(0, 1, in, hopped, hopped, adjoint, exec);
      hop_.combine(is_symmetric() ? 1 : d, -left / (4 * d), hopped, in, out, adjoint, exec);
    } else if constexpr (!NumberTerm<Term>) {
      const F solved = columns_of(solved_, in), even = is_symmetric() ? columns_of(even_, in) : F();
      // The adjoint of the symmetric form begins with the inverse that the form itself ends with.
      const bool begins = is_symmetric() && adjoint, ends = is_symmetric() && !adjoint;
      if (begins) term_.apply_inverse(in, even, adjoint, exec);
      solve_hop(begins ? even : in, hopped, solved, adjoint, exec);
      if (ends) {
        if (solve_in_hop(1, -0.25, solved, in, out, adjoint, exec)) return;
        solve_hop(solved, even, out, adjoint, exec);
        xpay(in, -0.25, out, exec);
      } else {
        if (!begins) term_.apply(in, out, adjoint, exec);
        hop_.combine(1, -0.25, solved, begins ? in : out, out, adjoint, exec);
      }
    }
  }
  static F columns_of(const F& field, const F& x) {
    return detail::columns_to_work_in(field, x.n_components(), F::Lanes::columns);
  }

  /// out = D^-1 H in, or with adjoints.  In one pass if the hop can multiply by D^-1, else through `work`.
  void solve_hop(const F& in, const F& work, const F& out, bool adjoint, const Exec& exec) const {
    if (solve_in_hop(0, 1, in, out, out, adjoint, exec)) return;
    hop_.combine(0, 1, in, work, work, adjoint, exec);
    term_.apply_inverse(work, out, adjoint, exec);
  }
  /// out = alpha diagonal + beta D^-1 H in, or with adjoints, if the hop can multiply by D^-1; else returns false.
  bool solve_in_hop(double alpha, double beta, const F& in, const F& diagonal, const F& out, bool adjoint,
                    const Exec& exec) const {
    if constexpr (std::is_same_v<HopT, Hop<Storage>> && hops_times_blocks<Storage, F>() &&
                  requires { term_.template inverse_view<F>(); })
      if (takes_blocks(hop_))
        if (const auto blocks = term_.template inverse_view<F>()) {
          hop_times_blocks(hop_, *blocks, alpha, beta, in, diagonal, out, adjoint, exec);
          return true;
        }
    return false;
  }

  static constexpr LinkForms forms{.doubled = !F::Lanes::holds_columns, .columns = F::Lanes::holds_columns};

  SchurForm form_;
  HopT hop_;
  Term term_;
  std::optional<double> number_;
  F hopped_, solved_, even_;
};

}  // namespace kov
