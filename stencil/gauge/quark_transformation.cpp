// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/quark_transformation.hpp"

#include "kov/core/field/convert.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/stencil/operator_work.hpp"

namespace kov {

namespace detail {

/// out(x) = g(x) in(x), or with the adjoint of g; see QuarkTransformation::apply() for flops and memory traffic.
template <class Matrices, class View>
struct QuarkTransformationKernel {
  static constexpr bool takes_pairs = View::outers == 2;

  Matrices g;
  View in, out;
  bool adjoint;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    const auto psi = in(x, c);
    auto result = psi;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        const auto u = adjoint ? conj(element_of(x, 3 * b + a)) : element_of(x, 3 * a + b);
        for (int spin = 0; spin < 4; ++spin) {
          if (b == 0)
            result(spin, a) = u * psi(spin, b);
          else
            multiply_add(result(spin, a), u, psi(spin, b));
        }
      }
    out.set(x, result, c);
  }

 private:
  /// The same for all columns of a ColumnSite.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto element_of(Site x, int k) const {
    if constexpr (Matrices::holds_columns)
      return g.element(LaneSite{x.outer, 0}, 0, k);
    else
      return g.element(x, 0, k);
  }
};

template <class F>
void TransformationOn<F>::apply(const View& g, const F& in, const F& out, bool adjoint, const Exec& exec) {
  count_operator(in, out, 264, bytes_of_site<ColorMatrix, typename F::Real>);
  for_each_site<typename F::Lanes>("transform_quarks", out.range(), out.n_groups(),
                                   QuarkTransformationKernel<View, typename F::View>{g, in.view(), out.view(), adjoint},
                                   exec);
}

#define KOV_INSTANTIATE(T, Lanes) template struct TransformationOn<SpinorField<T, Lanes>>
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace detail

template <class T>
QuarkTransformation<T>::QuarkTransformation(const Field<ColorMatrix, float>& g, const LinkForms& forms) {
  set(g, forms);
}

template <class T>
QuarkTransformation<T>::QuarkTransformation(const Field<ColorMatrix, double>& g, const LinkForms& forms) {
  set(g, forms);
}

template <class T>
template <class G>
void QuarkTransformation<T>::set(const G& g, const LinkForms& forms) {
  require(g.n_components() == 1 && g.subset() == Subset::all, g.name(),
          "is not a gauge transformation: it takes one matrix on every site");
  g_ = Field<ColorMatrix, T>(g.lattice(), "transformation of quarks");
  convert(g, g_);
  if (has_packs && forms.columns) {
    columns_ = Field<ColorMatrix, T, ColumnLanes<1>>(g.lattice(), "transformation of columns");
    convert(g, columns_);
  }
  Exec().fence("transformation of quarks");
}

template class QuarkTransformation<float>;
template class QuarkTransformation<double>;

}  // namespace kov
