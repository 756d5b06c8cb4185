// SPDX-License-Identifier: MIT
//
// QuarkTransformation: a gauge transformation as an operator on quark fields.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/stencil/operators/gauge_links.hpp"

namespace kov {

namespace detail {

/// QuarkTransformation::apply() on fields of one shape.
template <class F>
struct TransformationOn {
  using View = FieldView<ColorMatrix, typename F::Real, link_lanes_t<typename F::Lanes>>;
  static void apply(const View& g, const F& in, const F& out, bool adjoint, const Exec& exec);
};

}  // namespace detail

/// psi(x) -> g(x) psi(x) on every colour vector of quark fields in float or double, T.  A unitary operator: with it,
/// M[U^g] = g M[U] g^+ for links U^g of gauge_transform(U, g).  A handle: copies share the memory.
template <class T>
class QuarkTransformation {
 public:
  /// g: one matrix in SU(3) a site, rounded to T.  forms.columns: for fields of columns too.  Later changes of g have
  /// no effect.  Throws InputError for another number of matrices.
  explicit QuarkTransformation(const Field<ColorMatrix, float>& g, const LinkForms& forms = {});
  explicit QuarkTransformation(const Field<ColorMatrix, double>& g, const LinkForms& forms = {});

  const Lattice& lattice() const { return g_.lattice(); }

  /// out = g in, or g^+ in with apply_adjoint(), for every component, on all sites or those of one parity; out may be
  /// in.  Asynchronous, ordered on exec.  Throws InputError when the shapes do not fit, and for columns if this was
  /// made without LinkForms::columns.
  ///
  /// 264 flops; 18 + 48 reals of memory traffic a site, 18 / n + 48 a column for n of them.
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
    if constexpr (link_lanes_t<typename F::Lanes>::holds_columns) {
      require(columns_.n_components() > 0,
              "a gauge transformation was made for single fields and got columns: make it with LinkForms{.columns = "
              "true}");
      On::apply(columns_.view(), in, out, adjoint, exec);
    } else {
      On::apply(g_.view(), in, out, adjoint, exec);
    }
  }

  Field<ColorMatrix, T> g_;
  Field<ColorMatrix, T, ColumnLanes<1>> columns_;
};

}  // namespace kov
