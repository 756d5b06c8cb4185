// SPDX-License-Identifier: MIT
//
// Kernels over lanes see every site and component once, and no lane without a site.
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace test {

/// Adds c + 1 to component c.
struct AddToComponent {
  FieldView<ColorVector, double> out;

  KOKKOS_FUNCTION void operator()(LaneSite x, int c) const {
    Complex<double> z = out.element(x, c, 0);
    z.re += c + 1;
    out.set_element(x, c, 0, z);
  }
};

}  // namespace test

namespace {

class EachLane : public test::OnLattices {};

TEST_P(EachLane, IsVisitedOnceForEachComponent) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
    const Field<ColorVector, double> out(lattice, "out", 3, subset);
    for_each_lane("add", out.range(), 3, test::AddToComponent{out.view()});
    const std::int64_t volume = lattice.volume() / (subset == Subset::all ? 1 : 2);
    for (int c = 0; c < 3; ++c) EXPECT_EQ(norm2(out.column(c)), double(volume) * (c + 1) * (c + 1)) << c;
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, EachLane, ::testing::ValuesIn(test::small_lattice_cases(1400)), test::case_name);

}  // namespace
}  // namespace kov
