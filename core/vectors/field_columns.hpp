// SPDX-License-Identifier: MIT
//
// Fields as vector algebra uses them: columns on sites, in groups.  Only this file of vector algebra depends on how
// columns are stored in lanes.  Not for users.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/site/color_spin.hpp"
#include "kov/core/site/unroll.hpp"

#include <type_traits>
#include <utility>

namespace kov::detail {

/// The type of site that kernels over a field's groups of columns get.
template <class F>
using ColumnSiteOf = site_of_lanes_t<typename F::Lanes>;

/// Complex number i of one column of a site.
template <class View, class Site>
KOKKOS_FORCEINLINE_FUNCTION auto column_element(const View& view, Site x, int column, int i) {
  if constexpr (std::is_same_v<Site, ColumnSite>)
    return view.element(LaneSite{x.outer, column % View::lanes}, column / View::lanes, i);
  else
    return view.element(x, column, i);
}

#if !defined(KOKKOS_ENABLE_CUDA)
/// Prefetches a group of the block that comes after the one of the site before x.
template <class View, class Site>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_ahead(const View& view, Site x, int group) {
  view.prefetch(std::is_same_v<Site, PairSite> ? x.outer : x.outer + View::outers - 1, group);
}
#endif

/// A field that vector algebra can work on.
template <class F>
concept VectorField = AnyField<F>;

/// Whether algebra on all of a field is done by its kernels by column.
template <VectorField F>
inline constexpr bool goes_by_column = F::Lanes::width > 1;

/// Whether norms, products, zeros and the updates of Krylov solvers take a site in parts, which compiles their kernels
/// once for all types of site.  On CPUs alone, as GPUs have all numbers of a site under way at once, and without a
/// codec, which takes whole sites.
template <VectorField F>
inline constexpr bool in_parts = has_packs&& F::View::Codec::is_plain;

/// What kernels of vector algebra see of a field: colour vectors, numbers where these do not make up a site, or sites.
template <VectorField F>
auto algebra_view(const F& f) {
  if constexpr (!in_parts<F>)
    return f.view();
  else if constexpr (F::n_complex % ColorVector<float>::n_complex == 0)
    return f.template view_of_parts<ColorVector>();
  else
    return f.template view_of_parts<Scalar>();
}
template <VectorField F>
using AlgebraView = decltype(algebra_view(std::declval<const F&>()));

/// How many of what an AlgebraView has are a site of the field; part k of a group is n * group + k of the view.  Where
/// none is in parts, a constant.
template <bool varies = has_packs>
struct PartsOfSite {
  int n = 1;
};
template <>
struct PartsOfSite<false> {
  static constexpr int n = 1;
};
template <VectorField F>
PartsOfSite<> parts_of_site(const F&) {
  PartsOfSite<> parts;
  if constexpr (in_parts<F>) parts.n = F::n_complex / AlgebraView<F>::n_complex;
  return parts;
}

/// Calls f(part, i) for the complex numbers of a group: number i of this part of the view.
template <class View, class Parts, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_number(Parts parts, int group, const F& f) {
  for (int part = parts.n * group; part < parts.n * (group + 1); ++part)
    kov::unroll<View::n_complex>([&](int i) __attribute__((always_inline)) { f(part, i); });
}

#if !defined(KOKKOS_ENABLE_CUDA)
/// prefetch_ahead() of the parts of groups begin, ..., end - 1.
template <class Site, class... Views>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_groups(PartsOfSite<> parts, Site x, int begin, int end,
                                                 const Views&... views) {
  for (int part = parts.n * begin; part < parts.n * end; ++part) (prefetch_ahead(views, x, part), ...);
}
#endif

template <VectorField F, class... Fs>
void require_conforming(const F& x, const Fs&... others) {
  require((x.conforms(others) && ...), "vector algebra got", x.name(), sentence("with", others.name())...,
          "which differ in lattice, sites or components: give it fields of one shape");
}

/// Calls kernel(x, group) for all sites and groups of y.
template <VectorField F, class Kernel>
void for_each_group(const char* name, const F& y, int n_groups, const Kernel& kernel, const Exec& exec) {
  for_each_site<typename F::Lanes>(name, y.range().in_memory_order(), n_groups, kernel, exec);
}

}  // namespace kov::detail

// instantiate(SiteT, T, Lanes) for the fields that vector algebra is compiled for: the lists of field_ops.cpp,
// field_sums.cpp, column_ops.cpp and column_sums.cpp, of which the latter two have no algebra by column for matrices.
#define KOV_FOR_COLUMN_FIELDS(instantiate)   \
  KOV_FOR_LANES(instantiate, ColorVector);   \
  KOV_FOR_LANES(instantiate, Spinor);        \
  KOV_FOR_LANES(instantiate, AdjointVector); \
  instantiate(Spinor, Fixed16, SiteLanes);   \
  instantiate(Scalar, float, SiteLanes);     \
  instantiate(Scalar, double, SiteLanes)
#define KOV_FOR_VECTOR_FIELDS(instantiate)     \
  KOV_FOR_COLUMN_FIELDS(instantiate);          \
  instantiate(HalfSpinor, float, SiteLanes);   \
  instantiate(HalfSpinor, double, SiteLanes);  \
  instantiate(ColorMatrix, float, SiteLanes);  \
  instantiate(ColorMatrix, double, SiteLanes); \
  instantiate(SpinMatrix, float, SiteLanes);   \
  instantiate(SpinMatrix, double, SiteLanes)
