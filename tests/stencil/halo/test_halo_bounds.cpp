// SPDX-License-Identifier: MIT
//
// Builds that check bounds check accesses to halos and slices as they do those to fields.
#include "kov/stencil/functions/slice_stencil.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "tests/support/bounds.hpp"

namespace kov {
namespace {

using test::expect_refused;
using test::ViewBounds;
constexpr const char* halo_of_psi = "the halo of psi";

TEST_F(ViewBounds, HalosEndWhereTheirLastNeighbourIs) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  const SpinorField<double> psi(lattice, "psi", 2);
  const Halo<Spinor, double> halo(lattice, 2);
  const int n = Stencil::of(lattice).halo().n_blocks;
  const std::string site = "outer site " + std::to_string(n);
  for (const auto& near : {halo.exchange(psi), halo.exchange(psi.odd())}) {
    near(LaneSite{}, LaneHop{n - 1, default_lanes - 1, true}, 1);
    expect_refused([&] { near(LaneSite{}, LaneHop{n, 0, true}); }, {halo_of_psi, site});
    expect_refused([&] { near(LaneSite{}, LaneHop{-1, 0, true}); }, {halo_of_psi, "outer site -1"});
    expect_refused([&] { near(LaneSite{}, LaneHop{0, default_lanes, true}); }, {halo_of_psi, "lane"});
    expect_refused([&] { near(LaneSite{}, LaneHop{0, 0, true}, 2); }, {halo_of_psi, "component 2", "2 components"});
#if !defined(KOKKOS_ENABLE_CUDA)
    expect_refused([&] { near(PackSite{}, PackHop{n, 0, true, nullptr}); }, {halo_of_psi, site});
    expect_refused([&] { near.read(PackSite{}, PackHop{0, 0, true, nullptr}, 2); }, {halo_of_psi, "component 2"});
    const std::vector<std::int32_t> slots(default_lanes, (n * default_lanes) << 1 | 1);
    expect_refused([&] { near(PackSite{}, PackHop{0, 0, false, slots.data()}); }, {halo_of_psi, site});
#endif
  }
}

TEST_F(ViewBounds, NeighboursAreThoseOfTheField) {
  const Lattice lattice(Comm::self(), {4, 4, 4, 8});
  const SpinorField<double> psi(lattice, "the spinor", 2);
  const int n = psi.range().n_outer;
  const std::string site = "outer site " + std::to_string(n);
  const NeighbourView<Spinor, double> near(psi.view(), {});
  near(LaneSite{0, 0}, LaneHop{n - 1, 0, false});
  expect_refused([&] { near(LaneSite{0, 0}, LaneHop{n, 0, false}); }, {"the spinor", site});
  expect_refused([&] { near(LaneSite{0, 0}, LocalHop{0, -1}); }, {"the spinor", "lane -1"});
#if !defined(KOKKOS_ENABLE_CUDA)
  expect_refused([&] { near(PackSite{0}, PackHop{n, 0, false, nullptr}); }, {"the spinor", site});
  expect_refused([&] { near.read(PackSite{0}, PackHop{0, 0, false, nullptr}, 2); }, {"the spinor", "component 2"});
#endif
}

using ColumnsSite = site_of_lanes_t<ColumnLanes<4>>;

TEST_F(ViewBounds, HalosOfColumnsEndLikewise) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  const Field<Spinor, double, ColumnLanes<4>> psi(lattice, "psi", 4);
  const Halo<Spinor, double, ColumnLanes<4>> halo(lattice, 4);
  const auto near = halo.exchange(psi);
  const int n = stencil_of<ColumnLanes<4>>(lattice).halo().n_blocks;
  near(ColumnsSite{}, LaneHop{n - 1, 0, true}, 0);
  expect_refused(
      [&] {
        near(ColumnsSite{}, LaneHop{n, 0, true}, 0);
      },
      {halo_of_psi, "outer site " + std::to_string(n)});
  expect_refused([&] { near(ColumnsSite{}, LaneHop{0, 0, true}, psi.n_groups()); }, {halo_of_psi, "component"});
}

TEST_F(ViewBounds, WhereNothingIsExchangedThereIsNoHalo) {
  const Lattice lattice(Comm::self(), {4, 4, 4, 8});
  const SpinorField<double> psi(lattice, "psi");
  const auto near = Halo<Spinor, double>(lattice, 1).exchange(psi);
  near(LaneSite{}, LaneHop{0, 0, false});
  expect_refused([&] { near(LaneSite{}, LaneHop{0, 0, true}); }, {halo_of_psi, "no sites"});
  const Field<Spinor, double, ColumnLanes<4>> block(lattice, "psi", 4);
  const auto columns = Halo<Spinor, double, ColumnLanes<4>>(lattice, 4).exchange(block);
  expect_refused([&] { columns(ColumnsSite{}, LaneHop{0, 0, true}, 0); }, {halo_of_psi, "no sites"});
}

#if !defined(KOKKOS_ENABLE_CUDA)
TEST_F(ViewBounds, SlicesEndWhereTheirFieldOrBufferDoes) {
  using View = detail::SliceView<Spinor, double>;
  const Lattice lattice(Comm::self(), {4, 4, 4, 8});
  const SpinorField<double> psi(lattice, "psi", 2);
  const std::vector<int> sites{0, psi.range().n_outer};
  const View in_field(psi.view(), sites.data(), 1);
  const auto read = [](const View& view, int site, int c) { view.read(PackHop{site, 0, false, nullptr}, c); };
  const std::string beyond = "outer site " + std::to_string(sites[1]);
  read(in_field, 0, 0);
  expect_refused([&] { read(in_field, 0, 1); }, {"psi", "component 2"});
  expect_refused([&] { read(in_field, 1, 0); }, {"psi", beyond});
  expect_refused([&] { in_field(PackSite{1}, 0); }, {"psi", beyond});
  expect_refused([&] { in_field.set(PackSite{1}, 0, zero<View::View::PackValue>()); }, {"psi", beyond});
  std::vector<double> memory(3 * 2 * View::View::block);
  const View buffer(memory.data(), 3, 2);
  read(buffer, 2, 1);
  expect_refused([&] { read(buffer, 3, 0); }, {"a buffer for slices", "outer site 3"});
  expect_refused([&] { read(buffer, 0, 2); }, {"a buffer for slices", "component 2"});
}
#endif

}  // namespace
}  // namespace kov
