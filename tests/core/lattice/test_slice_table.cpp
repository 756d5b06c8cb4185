// SPDX-License-Identifier: MIT
//
// The sites of slices, one by one: each once, on its slice, in the order of memory.
#include "kov/core/lattice/slice_table.hpp"
#include "tests/support/lattices.hpp"

#include <algorithm>
#include <set>

namespace kov {
namespace {

class SitesOfSlices : public test::OnLattices {};

TEST_P(SitesOfSlices, AreEachThereOnceInTheOrderOfMemory) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Layout& layout = lattice.layout();
  const Geometry& geometry = lattice.geometry();
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd})
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const auto slices = SliceTable(lattice, subset, int(mu)).places_of_slices();
      ASSERT_EQ(slices.size(), std::size_t(lattice.extent()[mu]));
      std::set<int> seen;
      for (std::size_t slice = 0; slice < slices.size(); ++slice) {
        EXPECT_TRUE(std::is_sorted(slices[slice].begin(), slices[slice].end()));
        for (const int place : slices[slice]) {
          const int outer = place / default_lanes, lane = place % default_lanes;
          ASSERT_TRUE(layout.is_site(outer, lane));
          const Coord x = geometry.global(layout.coordinate(outer, lane));
          EXPECT_EQ(x[mu], int(slice));
          EXPECT_TRUE(subset == Subset::all || (parity(x) == 1) == (subset == Subset::odd));
          EXPECT_TRUE(seen.insert(place).second);
        }
      }
      const SiteRange range = layout.range(subset);
      const std::size_t n_sites =
          std::size_t(range.n_sites[0]) + std::size_t(subset == Subset::all ? range.n_sites[1] : 0);
      EXPECT_EQ(seen.size(), n_sites);
    }
}

TEST_P(SitesOfSlices, OfKernelsAreThoseOfThisRank) {
  if constexpr (!unified_memory) GTEST_SKIP() << "does not apply: the tables are where kernels run";
  const Lattice lattice = GetParam().make(Comm::world());
  const SliceTable table(lattice);
  const SliceTable::Sites sites = table.sites();
  const auto slices = table.places_of_slices();
  EXPECT_EQ(sites.n_slices, lattice.geometry().local_extent()[3]);
  for (int t = 0; t < sites.n_slices; ++t) {
    const std::vector<int>& expected = slices[std::size_t(lattice.geometry().origin()[3] + t)];
    ASSERT_EQ(std::size_t(sites.n_sites), expected.size());
    for (int i = 0; i < sites.n_sites; ++i) {
      const LaneSite x = sites.site(t, i);
      EXPECT_EQ(x.outer * default_lanes + x.lane, expected[std::size_t(i)]);
      EXPECT_EQ(sites.coordinate(x)[3], t);
    }
  }
  EXPECT_THROW(SliceTable(lattice, Subset::odd).sites(), InputError);
}

INSTANTIATE_TEST_SUITE_P(Lattices, SitesOfSlices, ::testing::ValuesIn(test::small_lattice_cases(1300)),
                         test::case_name);

}  // namespace
}  // namespace kov
