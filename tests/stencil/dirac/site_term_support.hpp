// SPDX-License-Identifier: MIT
//
// What tests of site terms share.
#pragma once

#include "kov/core/field/convert.hpp"
#include "kov/core/field/field.hpp"
#include "tests/reference/gather.hpp"

#include <gtest/gtest.h>

namespace kov::test {

/// A term, its adjoint and their inverses on spinors in 16 bits are those on the same numbers in single precision, to a
/// rounding.
template <class Term>
void expect_works_in_16_bits(const Term& term, const Lattice& lattice, const reference::GlobalArray& psi) {
  const SpinorField<float> in(lattice, "in"), out = in.like("out");
  const SpinorField<Fixed16> short_in(lattice, "in"), short_out = short_in.like("out");
  load(in, psi);
  convert(in, short_in);
  convert(short_in, in);
  for (const bool adjoint : {false, true})
    for (const bool inverse : {false, true}) {
      const auto apply = [&](const auto& from, const auto& to) {
        inverse ? term.apply_inverse(from, to, adjoint) : term.apply(from, to, adjoint);
      };
      apply(in, out);
      apply(short_in, short_out);
      const reference::GlobalArray expected = reference::gather(out);
      EXPECT_LT(max_difference(short_out, expected), reference::max_abs(expected) / 32767) << inverse << adjoint;
    }
}

}  // namespace kov::test
