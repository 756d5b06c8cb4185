// SPDX-License-Identifier: MIT
//
// Lists and classes of momenta, phases of Fourier sums, chunks of time slices.
#include "kov/contractions/kernels/momentum.hpp"
#include "kov/core/lattice/slice_chunks.hpp"
#include "tests/contractions/propagator_support.hpp"

#include <set>

namespace kov {
namespace {

using test::LatticeCase;

TEST(Momentum, ShellsOfTheCubicLatticeHaveTheirSizes) {
  const std::vector<Momentum> list = momenta_up_to(4);
  EXPECT_EQ(list.front(), (Momentum{0, 0, 0}));
  const auto classes = momentum_classes(list, {8, 8, 8, 4});
  ASSERT_EQ(classes.size(), 5u);
  const Momentum representatives[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 0, 0}};
  const std::size_t sizes[] = {1, 6, 12, 8, 6};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(classes[i].representative, representatives[i]);
    EXPECT_EQ(classes[i].members.size(), sizes[i]);
  }
  EXPECT_EQ(std::set<Momentum>(list.begin(), list.end()).size(), 33u) << "no momentum occurs twice";
}

TEST(Momentum, UnequalExtentsSplitClasses) {
  EXPECT_EQ(momentum_classes(momenta_up_to(1), {8, 8, 4, 4}).size(), 3u);
  EXPECT_EQ(momentum_classes(momenta_up_to(1), {8, 4, 6, 4}).size(), 4u);
  EXPECT_EQ(representative({0, 0, -2}, {8, 4, 8, 4}), (Momentum{2, 0, 0}));
  EXPECT_EQ(representative({0, -2, 1}, {8, 4, 8, 4}), (Momentum{1, 2, 0}));
  for (const Momentum& p : momenta_up_to(9))
    for (const Coord& extent : {Coord{4, 4, 4, 4}, {8, 4, 4, 4}, {4, 8, 4, 4}, {4, 4, 8, 4}, {4, 6, 8, 4}})
      EXPECT_EQ(representative(representative(p, extent), extent), representative(p, extent));
}

TEST(Momentum, RefusesAbsurdLists) {
  EXPECT_THROW(momenta_up_to(-1), InputError);
  EXPECT_THROW(momenta_up_to(1 << 30), InputError);
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  EXPECT_THROW(MomentumPhases<double>(lattice, {}, {0, 0, 0, 0}), InputError);
}

class MomentumOnLattice : public test::OnLattices {};

template <class T>
void check_phases(const Lattice& lattice) {
  if constexpr (unified_memory) {
    const std::vector<Momentum> momenta{{0, 0, 0}, {1, -2, 3}, {-1, 0, 0}, {5, 7, -9}};
    const Coord source{1, 3, 2, 1};
    const MomentumPhases<T> phases(lattice, momenta, source);
    const Geometry& geometry = lattice.geometry();
    reference::for_each_coordinate(geometry.local_extent(), [&](const Coord& x) {
      for (int k = 0; k < 4; ++k) {
        const Complex<T> z = phases.view()(x, k);
        const auto expected = reference::phase(geometry.extent(), momenta[std::size_t(k)], geometry.global(x), source);
        EXPECT_LT(std::abs(std::complex<double>(z.re, z.im) - expected), 60 * std::numeric_limits<T>::epsilon());
        if (k == 0) {
          EXPECT_EQ(z.re, T(1));
          EXPECT_EQ(z.im, T(0));
        }
      }
    });
  }
}

TEST_P(MomentumOnLattice, PhasesEqualTheirDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_phases<float>(lattice);
  check_phases<double>(lattice);
}

TEST_P(MomentumOnLattice, ChunksHoldEverySiteOnceOnItsSlice) {
  const Lattice lattice = GetParam().make(Comm::world());
  if constexpr (!unified_memory) GTEST_SKIP() << "does not apply: the tables are where kernels run";
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd})
    for (int direction = 0; direction < 4; ++direction) {
      const auto mu = std::size_t(direction);
      const SliceChunks slices(lattice, subset, direction);
      EXPECT_EQ(slices.n_slices(), lattice.extent()[mu]);
      const SliceChunks::View view = slices.view();
      const SiteRange range = lattice.layout().range(subset);
      std::set<int> seen;
      std::int64_t sites = 0;
      for (int c = 0; c < view.n_chunks; ++c) {
        const SliceChunks::Chunk chunk = view.chunk[c];
        for (int i = 0; i < chunk.count; ++i) {
          const int outer = view.outer[chunk.first + i];
          EXPECT_TRUE(outer >= range.first && outer < range.first + range.n_outer);
          EXPECT_TRUE(seen.insert(outer).second) << "outer site " << outer << " twice";
          for (int lane = 0; lane < default_lanes; ++lane) {
            const int slot = view.lane_slot[chunk.lanes + lane];
            EXPECT_EQ(slot >= 0, lattice.layout().is_site(outer, lane));
            if (slot < 0) continue;
            ++sites;
            EXPECT_LT(slot, chunk.n_slots);
            EXPECT_EQ(slices.slice(chunk.first_slot + slot),
                      lattice.layout().coordinate(outer, lane)[mu] + lattice.geometry().origin()[mu]);
          }
        }
      }
      const std::int64_t local = lattice.geometry().local_volume();
      EXPECT_EQ(sites, subset == Subset::all    ? local
                       : subset == Subset::even ? range.n_sites[0]
                                                : local - lattice.layout().range(Subset::even).n_sites[0]);
    }
}

INSTANTIATE_TEST_SUITE_P(Lattices, MomentumOnLattice, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

}  // namespace
}  // namespace kov
