// SPDX-License-Identifier: MIT
//
// Stencils of any legs: every neighbour is the right site, whatever the decomposition and the schedule.
#include "kov/core/field/convert.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "kov/stencil/stencil.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/grids.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;
using Overlap = ExchangeOptions::Overlap;

/// out(x)[leg] = in(x + leg).
struct CopyNeighbours {
  Stencil::View stencil;
  NeighbourView<ColorVector, double> in;
  FieldView<ColorVector, double> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int leg) const {
    out.set(x, in(x, stencil.at(x)(leg)), leg);
  }
};

/// A different number on each site.
GlobalArray names(const Coord& extent) {
  GlobalArray a(extent, 3);
  for (std::int64_t i = 0; i < volume(extent); ++i)
    for (std::size_t k = 0; k < 3; ++k) a.data[std::size_t(i) * 3 + k] = {double(i), double(k)};
  return a;
}

const std::vector<std::vector<Coord>> kLegs{
    nearest_neighbours(),
    {{2, 0, 0, 0}, {-2, 0, 0, 0}, {0, 0, 0, 2}, {0, 0, 0, -2}},
    {{3, 0, 0, 0}, {0, -3, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, -3}, {0, 1, 0, 0}},
    {{1, 1, 0, 0}, {1, -1, 0, 0}, {0, 1, 1, 0}, {-1, 0, 0, 1}, {1, 1, 1, 1}, {0, 2, 0, -1}},
    {{0, 0, 0, 0}, {0, 0, 1, 0}},
};

class StencilLegs : public ::testing::TestWithParam<test::LatticeCase> {
 protected:
  void SetUp() override {
    if (!GetParam().possible(Comm::world().size()))
      GTEST_SKIP() << "does not apply: no process grid of this many ranks fits these extents";
  }
};

TEST_P(StencilLegs, LeadToTheirSites) {
  for (const Overlap overlap : {Overlap::blocking, Overlap::overlapped}) {
    const Lattice lattice(
        Comm::world(), GetParam().extent,
        {.order = GetParam().order, .force_exchange = GetParam().force_exchange, .exchange = {.overlap = overlap}});
    const GlobalArray source = names(lattice.extent());
    const Field<ColorVector, double> in(lattice, "in");
    load(in, source);
    for (const auto& legs : kLegs) {
      const Coord& local = lattice.geometry().local_extent();
      bool reachable = true;
      for (const Coord& leg : legs)
        for (int mu = 0; mu < 4; ++mu)
          reachable = reachable && (!lattice.communicates(mu) || std::abs(leg[mu]) <= local[mu]);
      if (!reachable) {
        EXPECT_THROW(Stencil::of(lattice, legs), InputError);
        continue;
      }
      const Stencil& stencil = Stencil::of(lattice, legs);
      const int n = int(legs.size());
      const Field<ColorVector, double> out(lattice, "out", n);
      const Halo<ColorVector, double> halo(lattice, stencil, 1);
      run_stencil("copy_neighbours", stencil, halo, in, out, [&](const auto& neighbours) {
        return CopyNeighbours{stencil.view(), neighbours, out.view()};
      });
      const GlobalArray got = gather(out);
      reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
        for (int leg = 0; leg < n; ++leg) {
          Coord y = x;
          for (int mu = 0; mu < 4; ++mu) y[mu] += legs[std::size_t(leg)][mu];
          for (int k = 0; k < 3; ++k)
            ASSERT_EQ(got.at(x)[3 * leg + k], source.at(y)[k])
                << leg_name(legs[std::size_t(leg)]) << " from " << to_string(x);
        }
      });
    }
  }
}

TEST_P(StencilLegs, InteriorAndSurfaceAreAllSites) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (const auto& legs : {kLegs[0], kLegs[4]}) {
    const Stencil& stencil = Stencil::of(lattice, legs);
    for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
      const SiteRange range = lattice.layout().range(subset);
      const int sites = has_packs ? range.n_outer : range.n_sites[0] + (subset == Subset::all ? range.n_sites[1] : 0);
      EXPECT_EQ(stencil.interior(subset).n + stencil.surface(subset).n, sites);
    }
  }
}

TEST_P(StencilLegs, NearestNeighboursAreComputedWhereTheyAre) {
  const Lattice lattice(Comm::self(), GetParam().extent, {.order = Order::even_odd});
  const Layout& layout = lattice.layout();
  const Stencil& stencil = Stencil::of(lattice);
  const Stencil::View view = stencil.view();
  reference::for_each_coordinate(layout.extent(), [&](const Coord& x) {
    const Layout::Position at = layout.locate(x);
    const ComputedNeighbourhood<true> local(view, LaneSite{at.outer, at.lane});
    const ComputedNeighbourhood<false> near(view, LaneSite{at.outer, at.lane});
    for (int leg = 0; leg < 8; ++leg) {
      Coord y = x;
      for (int mu = 0; mu < 4; ++mu)
        y[mu] = (y[mu] + nearest_neighbours()[std::size_t(leg)][mu] + layout.extent()[mu]) % layout.extent()[mu];
      const Layout::Position there = layout.locate(y);
      EXPECT_EQ(local(leg).outer, there.outer) << leg << " from " << to_string(x);
      EXPECT_EQ(local(leg).lane, there.lane) << leg << " from " << to_string(x);
      EXPECT_EQ(near(leg).outer, there.outer) << leg << " from " << to_string(x);
      EXPECT_EQ(near(leg).lane, there.lane) << leg << " from " << to_string(x);
      EXPECT_FALSE(near(leg).halo);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Lattices, StencilLegs, ::testing::ValuesIn(test::small_lattice_cases(3000)), test::case_name);

template <class T>
void check_bits(const Coord& extent) {
  const GlobalArray u = reference::random_su3(extent, 4, 1), psi = reference::random_array(extent, 12, 2);
  const auto results = [&](const Lattice& lattice) {
    const GaugeField<double> gauge(lattice, "gauge", 4);
    load(gauge, u);
    const SpinorField<T> in(lattice, "in"), a(lattice, "a"), b(lattice, "b"), c(lattice, "c");
    load(in, psi);
    const GaugeLinks<T> links(gauge, BoundaryAngles::antiperiodic_in_time());
    CovariantLaplacian<T>(links).apply(in, a);
    CovariantLaplacian<T>(links, Dimensions::space).apply(in, b);
    WilsonOperator<T>(links, 0.1).apply(in, c);
    const SpinorField<T> three(lattice, "three", 3), d(lattice, "d", 3);
    load(three, reference::random_array(extent, 36, 3));
    CovariantLaplacian<T>(links).apply(three, d);
    Field<Spinor, T, ColumnLanes<4>> columns(lattice, "columns", 4), e(lattice, "e", 4);
    copy_components(in, 0, columns, 1, 1);
    copy_components(a, 0, columns, 3, 1);
    CovariantLaplacian<T>(links, Dimensions::spacetime, {.columns = true}).apply(columns, e);
    std::vector<GlobalArray> all;
    for (const auto* field : {&a, &b, &c, &d}) all.push_back(gather(*field));
    for (const int k : {0, 1, 3}) {
      copy_components(e, k, b, 0, 1);
      all.push_back(gather(b));
    }
    return all;
  };
  const auto alone = results(Lattice(Comm::self(), extent));
  for (const Coord& grid : test::grids(extent, Comm::world().size()))
    for (const bool forced : {false, true})
      for (const Overlap overlap : {Overlap::blocking, Overlap::overlapped, Overlap::tuned})
        for (const int checked : {-1, 0}) {
          const auto shared = results(Lattice(Comm::world(), extent,
                                              {.grid = grid,
                                               .force_exchange = forced,
                                               .exchange = {.overlap = overlap, .checked_exchanges = checked}}));
          for (std::size_t k = 0; k < alone.size(); ++k)
            EXPECT_EQ(shared[k].data, alone[k].data) << "operator " << k << " on grid " << to_string(grid);
        }
}

TEST(Decompositions, GiveTheSameBits) {
  check_bits<float>({8, 4, 4, 8});
  check_bits<double>({4, 8, 6, 8});
}

TEST(HaloExchange, RefusesASecondOneBeforeTheFirstIsFinished) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  const SpinorField<double> in(lattice, "in");
  const Halo<Spinor, double> halo(lattice, 1);
  halo.begin(in);
  EXPECT_THROW(halo.begin(in), InputError);
  halo.finish();
  EXPECT_NO_THROW(halo.exchange(in));
}

}  // namespace
}  // namespace kov
