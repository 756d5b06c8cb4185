// SPDX-License-Identifier: MIT
//
// SpinColorView: twelve spinors of a site, the columns of a propagator, read as one matrix in spin and colour.
#pragma once

#include "kov/core/field/field_view.hpp"
#include "kov/core/site/spin_color_algebra.hpp"

#include <utility>

namespace kov {

/// The matrix of a site in memory: its colour matrices are loaded when they are asked for.
template <class Columns, class Site>
class SpinColorInMemory {
 public:
  using Real = decltype(std::declval<const Columns&>().element(std::declval<Site>(), 0, 0).re);
  static constexpr int cost = 0;

  KOKKOS_FORCEINLINE_FUNCTION SpinColorInMemory(const Columns& columns, Site x) : columns_(columns), x_(x) {}

  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<Real> block(int s, int r) const {
    ColorMatrix<Real> m;
    for (int b = 0; b < 3; ++b)
      for (int a = 0; a < 3; ++a) m(a, b) = columns_.element(x_, 3 * r + b, 3 * s + a);
    return m;
  }

 private:
  Columns columns_;
  Site x_;
};

/// Columns: a FieldView of spinors; component 3 r + b is the column of spin r and colour b at the source.
template <class Columns>
class SpinColorView {
 public:
  SpinColorView() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit SpinColorView(const Columns& columns) : columns_(columns) {}

  /// SpinColorMatrix<Pack<T, N>> for a PackSite, of 2 N lanes for a PairSite, SpinColorMatrix<T> for a LaneSite.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    SpinColorMatrix<typename SpinColorInMemory<Columns, Site>::Real> m;
    for (int column = 0; column < 12; ++column) {
      const auto spinor = columns_(x, column);
      for (int i = 0; i < 12; ++i) m.z[12 * column + i] = spinor.z[i];
    }
    return m;
  }
  /// The same for products and traces that need no value: trace(adj(S.read(x)) * S.read(x)).
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION SpinColorInMemory<Columns, Site> read(Site x) const {
    return {columns_, x};
  }
  template <class Site, class R>
  KOKKOS_FORCEINLINE_FUNCTION void set(Site x, const SpinColorMatrix<R>& m) const {
    for (int column = 0; column < 12; ++column) {
      Spinor<R> spinor;
      for (int i = 0; i < 12; ++i) spinor.z[i] = m.z[12 * column + i];
      columns_.set(x, spinor, column);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION const Columns& columns() const { return columns_; }

 private:
  Columns columns_;
};

}  // namespace kov
