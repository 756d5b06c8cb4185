// SPDX-License-Identifier: MIT
//
// The kernel of a sum that adds one outer site after the other, never a pair.
#pragma once

#include "kov/core/field/field_view.hpp"
#include "kov/core/launch/sum_terms.hpp"
#include "kov/core/site/color_spin.hpp"

namespace kov::test {

/// The complex number of every site as two reals.
template <class T>
struct PartsKernel {
  FieldView<Scalar, T> in;
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    const auto z = in(x).z[0];
    return Values<decltype(z.re), 2>{{z.re, z.im}};
  }
};

}  // namespace kov::test
