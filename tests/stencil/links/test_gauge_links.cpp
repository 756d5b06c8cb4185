// SPDX-License-Identifier: MIT
//
// What forms and storages of links refuse, and when.  That operators read the same from all of them is tested in
// tests/stencil/operators.
#include "kov/stencil/links/gauge_links.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/support/launches.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace kov {
namespace {

TEST(LinksIn16Bits, RefuseWhatIsNotANumber) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto gauge = reference::gauge_field<double>(lattice, reference::unit_gauge(lattice.extent()));
  auto u = peek(gauge, {1, 2, 3, 4}, 2);
  u.z[4].im = std::numeric_limits<double>::quiet_NaN();
  poke(gauge, {1, 2, 3, 4}, u, 2);
  EXPECT_THROW(GaugeLinks<Fixed16>{gauge}, InputError);
  EXPECT_THROW(GaugeLinks<Links8<Fixed16>>{gauge}, InputError);
  EXPECT_NO_THROW(GaugeLinks<Links8<double>>{gauge});
}

TEST(ColumnsOfLinks, MustBeRequestedWhenTheOperatorIsMade) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeLinks<double> links(reference::gauge_field<double>(lattice, reference::unit_gauge(lattice.extent())));
  const Field<Spinor, double, ColumnLanes<4>> in(lattice, "in", 4), out(lattice, "out", 4);
  if (has_packs)
    EXPECT_THROW(CovariantLaplacian<double>(links).apply(in, out), InputError);
  else
    CovariantLaplacian<double>(links).apply(in, out);
  CovariantLaplacian<double>(links, Dimensions::spacetime, {.columns = true}).apply(in, out);
}

TEST(ColumnsOfLinks, AreNotMadeOfLinksThatAreStoredTwice) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeLinks<double> links(reference::gauge_field<double>(lattice, reference::unit_gauge(lattice.extent())));
  const auto starts = [&](const LinkForms& forms) {
    const test::Launches recorded;
    links.with(forms);
    return test::Launches::names();
  };
  const auto columns = starts({.columns = true});
  EXPECT_EQ(std::count(columns.begin(), columns.end(), "column_links"), has_packs);
  EXPECT_EQ(std::count(columns.begin(), columns.end(), "double_links"), 0);
  const auto doubled = starts({.doubled = true});
  EXPECT_EQ(std::count(doubled.begin(), doubled.end(), "double_links"), has_packs);
  EXPECT_EQ(starts({.doubled = true, .columns = true}), std::vector<std::string>()) << "made once for all";
}

TEST(ColumnsOfLinks, AreRefusedWhereNoOperatorTakesThem) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<float> gauge = reference::gauge_field<float>(lattice, reference::unit_gauge(lattice.extent()));
  EXPECT_THROW(GaugeLinks<Links8<float>>(gauge).with({.columns = true}), InputError);
  EXPECT_THROW(GaugeLinks<Fixed16>(gauge).with({.columns = true}), InputError);
  EXPECT_THROW(GaugeLinks<Links12<Fixed16>>(gauge).with({.columns = true}), InputError);
  EXPECT_NO_THROW(GaugeLinks<Links12<float>>(gauge).with({.columns = true}));
}

}  // namespace
}  // namespace kov
