// SPDX-License-Identifier: MIT
//
// QuarkTransformation: a gauge transformation and a change of the basis of spin as an operator on quark fields.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/site/spin_basis.hpp"
#include "kov/stencil/links/gauge_links.hpp"

namespace kov {

namespace detail {

/// QuarkTransformation::apply() on fields of one shape.  g: null where colours stay as they are.
template <class F>
struct TransformationOn {
  using View = FieldView<ColorMatrix, typename F::Real, link_lanes_t<typename F::Lanes>>;
  static void apply(const View* g, SpinBasis basis, const F& in, const F& out, bool adjoint, const Exec& exec);
};

}  // namespace detail

/// psi(x) -> g(x) psi(x) on every colour vector of quark fields in float or double, T; or S g(x) psi(x), which brings
/// them from the chiral to the non-relativistic basis of spin: see SpinBasis.  A unitary operator V: with it, M[U^g] =
/// V M[U] V^+ for links U^g of gauge_transform(U, g), M[U^g] being in that basis: DiracOperator::with_basis().  A
/// handle: copies share the memory.
template <class T>
class QuarkTransformation {
 public:
  /// g: one matrix in SU(3) a site, rounded to T.  forms.columns: for fields of columns too.  basis: the one that quark
  /// fields come to.  Later changes of g have no effect.  Throws InputError for another number of matrices.
  explicit QuarkTransformation(const Field<ColorMatrix, float>& g, const LinkForms& forms = {},
                               SpinBasis basis = SpinBasis::chiral);
  explicit QuarkTransformation(const Field<ColorMatrix, double>& g, const LinkForms& forms = {},
                               SpinBasis basis = SpinBasis::chiral);
  /// To this basis alone, g = 1.
  QuarkTransformation(const Lattice& lattice, SpinBasis basis) : lattice_(lattice), basis_(basis) {}

  const Lattice& lattice() const { return lattice_; }
  SpinBasis basis() const { return basis_; }

  /// out = V in, or V^+ in with apply_adjoint(), for every component, on all sites or those of one parity; out may be
  /// in.  Asynchronous, ordered on exec.  Throws InputError when the shapes do not fit, and for columns if this was
  /// made without LinkForms::columns.
  ///
  /// 264 flops, 48 to change the basis; 18 + 48 reals of memory traffic a site, 18 / n + 48 a column for n of them.
  template <class Lanes>
  void apply(const SpinorField<T, Lanes>& in, const SpinorField<T, Lanes>& out, const Exec& exec = {}) const {
    transform(in, out, false, exec);
  }
  template <class Lanes>
  void apply_adjoint(const SpinorField<T, Lanes>& in, const SpinorField<T, Lanes>& out, const Exec& exec = {}) const {
    transform(in, out, true, exec);
  }

 private:
  template <class G>
  void set(const G& g, const LinkForms& forms);
  template <class F>
  void transform(const F& in, const F& out, bool adjoint, const Exec& exec) const {
    require(in.lattice() == lattice() && in.conforms(out), "the gauge transformation got", in.name(), "and", out.name(),
            "whose lattices, sites or columns do not fit: give it two fields of one shape on its lattice");
    using On = detail::TransformationOn<F>;
    if (g_.n_components() == 0) return On::apply(nullptr, basis_, in, out, adjoint, exec);
    if constexpr (link_lanes_t<typename F::Lanes>::holds_columns) {
      require(columns_.n_components() > 0,
              "a gauge transformation was made for single fields and got columns: make it with LinkForms{.columns = "
              "true}");
      const auto g = columns_.view();
      On::apply(&g, basis_, in, out, adjoint, exec);
    } else {
      const auto g = g_.view();
      On::apply(&g, basis_, in, out, adjoint, exec);
    }
  }

  Lattice lattice_;
  SpinBasis basis_;
  Field<ColorMatrix, T> g_;
  Field<ColorMatrix, T, ColumnLanes<1>> columns_;
};

}  // namespace kov
