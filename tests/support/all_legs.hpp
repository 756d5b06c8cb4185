// SPDX-License-Identifier: MIT
//
// A kernel that shows every neighbour a halo brings.
#pragma once

#include "kov/stencil/launch.hpp"

namespace kov::test {

/// out(x) = in(x + leg), component leg * n_components + c for component c.
template <template <class> class SiteT, class T>
struct AllLegs {
  Stencil::View stencil;
  NeighbourView<SiteT, T, default_lanes> in;
  FieldView<SiteT, T, default_lanes> out;
  int n_components;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int i) const {
    out.set(x, in(x, stencil.at(x)(i / n_components), i % n_components), i);
  }
};

}  // namespace kov::test
