// SPDX-License-Identifier: MIT
//
// Kernels over lanes see every site and component once, and no lane without a site.
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <set>
#include <vector>

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

/// Counts the calls for each lane, [component][outer site][lane].
struct CountCalls {
  int* calls;
  int first, n_outer;

  KOKKOS_FUNCTION void operator()(LaneSite x, int c) const {
    ++calls[(c * n_outer + x.outer - first) * default_lanes + x.lane];
  }
  KOKKOS_FUNCTION void operator()(LaneSite x) const { (*this)(x, 0); }
};

/// What the lanes hold, of a site or not.
struct StoredNumber {
  FieldView<ColorVector, double> in;
  double* numbers;
  int first;

  KOKKOS_FUNCTION void operator()(int i) const {
    const LaneSite x{first + i / default_lanes, i % default_lanes};
    numbers[i] = in.element(x, 0, 0).re;
  }
};

/// Gives every lane, of a site or not, this number.
struct StoreNumber {
  FieldView<ColorVector, double> out;
  double number;
  int first;

  KOKKOS_FUNCTION void operator()(int i) const {
    out.set_element(LaneSite{first + i / default_lanes, i % default_lanes}, 0, 0, {number, 0});
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

TEST_P(EachLane, OfPaddingIsNeitherVisitedNorChanged) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
    const Field<ColorVector, double> out(lattice, "out", 1, subset);
    const SiteRange range = out.range();
    const int n = range.n_outer * default_lanes;
    const Buffer<int> once("calls", std::size_t(n)), of_each("calls", std::size_t(3 * n));
    for_each_lane("count", range, test::CountCalls{once.data(), range.first, range.n_outer});
    for_each_lane("count", range, 3, test::CountCalls{of_each.data(), range.first, range.n_outer});
    for_each_item("store", n, test::StoreNumber{out.view(), -7, range.first});
    for_each_lane("add", range, 1, test::AddToComponent{out.view()});
    const Buffer<double> numbers("numbers", std::size_t(n));
    for_each_item("read", n, test::StoredNumber{out.view(), numbers.data(), range.first});
    const std::vector<int> calls = once.to_host(), calls_of_each = of_each.to_host();
    const std::vector<double> stored = numbers.to_host();
    for (int i = 0; i < n; ++i) {
      const int outer = range.first + i / default_lanes, lane = i % default_lanes;
      const bool is_site = lattice.layout().is_site(outer, lane);
      const auto at = std::size_t(i);
      ASSERT_EQ(calls[at], is_site ? 1 : 0) << outer << ", lane " << lane;
      for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(calls_of_each[c * std::size_t(n) + at], is_site ? 1 : 0);
      ASSERT_EQ(stored[at], is_site ? -6 : -7) << outer << ", lane " << lane;
    }
  }
}

/// With an odd number of outer sites in a parity, and with half an outer site on two ranks.
std::vector<test::LatticeCase> cases() {
  std::vector<test::LatticeCase> cases = test::small_lattice_cases(1400);
  for (const Coord& extent : {Coord{6, 2, 2, 2}, Coord{2, 2, 2, 2}}) cases.push_back({extent, Order::even_odd, false});
  return cases;
}

TEST(EachLaneOfPadding, IsThere) {
  if (default_lanes == 4 && Comm::world().size() == 1)
    GTEST_SKIP() << "does not apply: every lattice fills packs of four";
  const Lattice lattice(Comm::world(), {6, 2, 2, 2}, {.order = Order::even_odd});
  int padding = 0;
  for (int outer = 0; outer < lattice.layout().n_outer(); ++outer)
    for (int lane = 0; lane < default_lanes; ++lane) padding += !lattice.layout().is_site(outer, lane);
  EXPECT_GT(padding, 0);
}

/// Counts the calls for each site of a host, [component][outer site][lane].
struct CountOnHost {
  std::vector<int>* calls;
  int n_sites, lanes;
  void operator()(LaneSite x, int c) const { ++(*calls)[std::size_t(c * n_sites + x.outer * lanes + x.lane)]; }
};

TEST(PlaneComponents, AreEachSiteAndComponentOnce) {
  constexpr int lanes = 8;
  std::set<int> bits;
  for (const Coord& extent : {Coord{8, 8, 8, 4}, {16, 16, 4, 3}, {12, 8, 6, 2}})
    for (const int n_components : {2, 3, 12}) {
      const Layout layout(extent, 0, lanes, Order::even_odd);
      const SiteRange range = layout.range(Subset::all);
      ASSERT_TRUE(range.has_planes()) << to_string(extent);
      std::vector<int> calls(std::size_t(n_components * layout.n_outer() * lanes), 0);
      const CountOnHost count{&calls, layout.n_outer() * lanes, lanes};
      const detail::PlaneComponents<lanes, CountOnHost> on_planes(count, range, n_components);
      bits.insert(on_planes.bits);
      for (int p = 0; p < range.n_planes(); ++p)
        for (int i = 0; i < 2 * range.plane() * lanes * n_components; ++i) on_planes(i, p);
      for (const int n : calls) ASSERT_EQ(n, 1) << to_string(extent) << ", " << n_components << " components";
    }
  EXPECT_EQ(bits, (std::set<int>{2, 3}));
}

INSTANTIATE_TEST_SUITE_P(Lattices, EachLane, ::testing::ValuesIn(cases()), test::case_name);

}  // namespace
}  // namespace kov
