// SPDX-License-Identifier: MIT
//
// Fields of twelve spinors in expressions, read as one matrix in spin and colour at each site: propagators.  Not for
// users.
#pragma once

#include "kov/core/field/spin_color_view.hpp"
#include "kov/stencil/statements/expression.hpp"

namespace kov::detail {

/// A propagator at x, read block by block from memory.
template <class T>
struct SpinColorNode {
  SpinColorView<FieldView<Spinor, T>> s;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int) const {
    return s.read(x);
  }
};

/// A propagator at x + leg, loaded as a value.
template <class Columns>
struct ShiftedSpinColorNode {
  Columns columns;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int) const {
    using R = typename decltype(columns(x, 0))::Real;
    SpinColorMatrix<R> m;
    for (int column = 0; column < 12; ++column) {
      const Spinor<R> spinor = columns(x, column);
      for (int i = 0; i < 12; ++i) m.z[12 * column + i] = spinor.z[i];
    }
    return m;
  }
};

/// A propagator in an expression: its twelve columns, bound to a node where the statement is launched.
template <class T>
struct SpinColorTerm {
  using SiteExpressionTag = void;
  using Real = T;
  FieldTerm<Spinor, T> columns;

  void collect(ExpressionPlan& plan, bool shifted, const Coord& d) const {
    plan.add(FieldInfo::of_whole_sites(columns.field), shifted, d);
  }
  template <bool shifted>
  auto bind(ExpressionPlan& plan, const Coord& d) const {
    const auto node = columns.template bind<shifted>(plan, d);
    if constexpr (shifted)
      return ShiftedSpinColorNode<std::remove_const_t<decltype(node)>>{node};
    else
      return SpinColorNode<T>{SpinColorView<FieldView<Spinor, T>>(node.field)};
  }
};

/// Writes a matrix into twelve spinors, every block of it computed once.
template <class Node, class Columns>
struct AssignSpinColorKernel {
  Node node;
  Columns out;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x) const {
    const auto m = node(x, 0);
    static_assert(SpinColorBlocks<decltype(m)>, "a propagator is assigned matrices in spin and colour");
    const auto blocks = computed<4>(m);
    using R = typename decltype(blocks)::Real;
    for (int r = 0; r < 4; ++r) {
      Spinor<R> spinor[3];
      for (int s = 0; s < 4; ++s) {
        const ColorMatrix<R> block = blocks.block(s, r);
        for (int b = 0; b < 3; ++b)
          for (int a = 0; a < 3; ++a) spinor[b](s, a) = block(a, b);
      }
      for (int b = 0; b < 3; ++b) out.set(x, spinor[b], 3 * r + b);
    }
  }
};

}  // namespace kov::detail
