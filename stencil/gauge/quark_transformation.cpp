// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/quark_transformation.hpp"

#include "kov/core/field/convert.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/stencil/operator_work.hpp"

namespace kov {

namespace detail {

/// out(x) = S g(x) in(x), or with the adjoint of g; each of S and g may be left out.  See QuarkTransformation::apply()
/// for flops and memory traffic.
template <class Matrices, class View>
struct QuarkTransformationKernel {
  static constexpr bool takes_pairs = View::outers == 2;

  Matrices g;
  View in, out;
  bool transforms, adjoint, rotates;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    const auto psi = in(x, c);
    using R = typename std::decay_t<decltype(psi)>::Real;
    auto result = psi;
    if (transforms) multiply(result, x, psi);
    if (rotates) result = R(0.70710678118654752440) * spin_sums(result);
    out.set(x, result, c);
  }

 private:
  template <class Site, class Psi>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Psi& result, Site x, const Psi& psi) const {
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
  }
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
void TransformationOn<F>::apply(const View* g, SpinBasis basis, const F& in, const F& out, bool adjoint,
                                const Exec& exec) {
  const bool rotates = basis != SpinBasis::chiral;
  count_operator(in, out, (g ? 264 : 0) + (rotates ? 48 : 0), g ? bytes_of_site<ColorMatrix, typename F::Real> : 0);
  const QuarkTransformationKernel<View, typename F::View> kernel{g ? *g : View(), in.view(), out.view(),
                                                                 g != nullptr,    adjoint,   rotates};
  for_each_site<typename F::Lanes>("transform_quarks", out.range(), out.n_groups(), kernel, exec);
}

#define KOV_INSTANTIATE(T, Lanes) template struct TransformationOn<SpinorField<T, Lanes>>
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace detail

template <class T>
QuarkTransformation<T>::QuarkTransformation(const Field<ColorMatrix, float>& g, const LinkForms& forms, SpinBasis basis)
    : QuarkTransformation(g.lattice(), basis) {
  set(g, forms);
}

template <class T>
QuarkTransformation<T>::QuarkTransformation(const Field<ColorMatrix, double>& g, const LinkForms& forms,
                                            SpinBasis basis)
    : QuarkTransformation(g.lattice(), basis) {
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
