// SPDX-License-Identifier: MIT
//
// Kernels that count see every site once, in packs and lane by lane.
#include "kov/core/launch/count_sites.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace test {

/// Sites, and those with odd x.
struct CountOddX {
  Layout::View layout;
  SiteRange range;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, Counts<2>& counts) const {
    if constexpr (std::is_same_v<Site, LaneSite>)
      count(x, counts);
    else
      for (int lane = 0; lane < default_lanes; ++lane)
        if (range.holds(x.outer, lane, default_lanes)) count(LaneSite{x.outer, lane}, counts);
  }

 private:
  KOKKOS_FUNCTION void count(LaneSite x, Counts<2>& counts) const {
    ++counts.of[0];
    counts.of[1] += layout.coordinate(x.outer, x.lane)[0] % 2;
  }
};

}  // namespace test

namespace {

class CountingSites : public test::OnLattices {};

TEST_P(CountingSites, CountsEachOnce) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Coord& extent = lattice.geometry().local_extent();
  const std::int64_t volume = lattice.geometry().local_volume();
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
    const SiteRange range = lattice.layout().range(subset);
    const test::CountOddX kernel{lattice.layout().view(), range};
    const auto sites = count_sites<2>("count", range, kernel), lanes = count_lanes<2>("count", range, kernel);
    EXPECT_EQ(sites, lanes);
    if (subset == Subset::all) {
      EXPECT_EQ(sites[0], volume);
      EXPECT_EQ(sites[1], volume / extent[0] * (extent[0] / 2));
    } else {
      EXPECT_EQ(sites[0], range.n_sites[0]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, CountingSites, ::testing::ValuesIn(test::small_lattice_cases(1300)),
                         test::case_name);

}  // namespace
}  // namespace kov
