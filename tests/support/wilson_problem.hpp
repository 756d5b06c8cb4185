// SPDX-License-Identifier: MIT
//
// Wilson operators in double and single precision on the same links, and a random source, for tests of solvers in mixed
// precision.
#pragma once

#include "kov/stencil/dirac/wilson.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"

namespace kov::test {

/// A x = b, with what naive operators need to check x.
struct WilsonProblem {
  Lattice lattice;
  reference::GlobalArray u, source;
  double mass;
  WilsonOperator<double> high;
  WilsonOperator<float> low;
  SpinorField<double> b, x;

  WilsonProblem(const Lattice& l, const reference::GlobalArray& links, const BoundaryAngles& angles, double m,
                int n_columns, const LinkForms& forms)
      : lattice(l),
        u(links),
        source(reference::random_array(l.extent(), 12 * n_columns, 12)),
        mass(m),
        high(GaugeLinks<double>(reference::gauge_field<double>(l, u), angles), mass, forms),
        low(GaugeLinks<float>(reference::gauge_field<double>(l, u), angles), mass, forms),
        b(l, "source", n_columns),
        x(l, "solution", n_columns) {
    load(b, source);
  }
};

}  // namespace kov::test
