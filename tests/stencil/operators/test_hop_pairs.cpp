// SPDX-License-Identifier: MIT
//
// Kernels on pairs of outer sites give the bits that they give on outer sites one by one.  Only CPUs whose registers
// hold sixteen floats have pairs.
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/operators/hop.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"

#if !defined(KOKKOS_ENABLE_CUDA)

namespace kov {
namespace {
namespace pairs {

using reference::gather;

template <class Kernel>
struct InPairs : Kernel {
  static constexpr bool takes_pairs = true;
};
template <class Kernel>
struct OneByOne : Kernel {
  static constexpr bool takes_pairs = false;
};

/// out = diagonal / 4 + H in.
template <template <class> class Way, class Compressor, class Storage, class F>
void apply_hop(const Hop<Storage>& hop, const F& in, const F& diagonal, const F& out, bool streaming) {
  const auto links = hop.links().template view<SiteLanes>(out.subset() != Subset::all);
  run_stencil<StencilForms::any, Compressor>(
      "hop", hop.halos(), in, out, [&](const auto& neighbours, const auto& stencil) {
        using Kernel = HopKernel<std::decay_t<decltype(links)>, std::decay_t<decltype(neighbours)>, typename F::View,
                                 std::decay_t<decltype(stencil)>>;
        return Way<Kernel>{
            {stencil, links, neighbours, diagonal.view(), out.view(), in.n_groups(), 0.25f, 1, 1, streaming}};
      });
}

template <class Compressor, class Storage, class F>
void check_hop(const Hop<Storage>& hop, const F& in, const F& diagonal, const std::string& what) {
  const F full = in.like("expected"), found = in.like("found");
  for (const bool streaming : {false, true})
    for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
      const auto part = [&](const F& f, Subset s) {
        return s == Subset::all ? f : s == Subset::even ? f.even() : f.odd();
      };
      const F from = part(in, opposite(subset)), base = part(diagonal, subset);
      copy(in, full);
      copy(in, found);
      apply_hop<OneByOne, Compressor>(hop, from, base, part(full, subset), streaming);
      apply_hop<InPairs, Compressor>(hop, from, base, part(found, subset), streaming);
      EXPECT_EQ(gather(found).data, gather(full).data) << what << (streaming ? ", streaming" : "");
      EXPECT_NE(gather(found).data, gather(in).data) << what;
    }
}

class Pairs : public test::OnLattices {};

template <class T>
void check_bits(const Lattice& lattice) {
  if constexpr (registers_hold_pairs<T>) {
    const auto psi = reference::random_array(lattice.extent(), 24, 2),
               chi = reference::random_array(lattice.extent(), 24, 3);
    const auto gauge = reference::gauge_field<T>(lattice, reference::random_su3(lattice.extent(), 4, 1));
    const auto check = [&]<class S>(S, const BoundaryAngles& angles, LinkStorage storage) {
      const SpinorField<S> in(lattice, "in", 2), diagonal(lattice, "diagonal", 2);
      load(in, psi);
      load(diagonal, chi);
      const Hop<T> hop(GaugeLinks<T>(gauge, angles, storage), {.doubled = true});
      // 16-bit spinors have halos of half spinors alone.
      using Compressor = std::conditional_t<std::is_same_v<S, T>, WholeSites, SpinProjection>;
      check_hop<Compressor>(hop, in, diagonal, "links of 18 reals");
      const Hop<Links12<T>> of_12(GaugeLinks<Links12<T>>(gauge, angles, storage));
      check_hop<Compressor>(of_12, in, diagonal, "links of 12 reals");
      if constexpr (std::is_same_v<S, T>) check_hop<SpinProjection>(hop, in, diagonal, "half spinors");
    };
    check(T(0), {}, LinkStorage::once);
    check(T(0), BoundaryAngles{test::kAngles}, LinkStorage::once);
    check(T(0), BoundaryAngles{test::kAngles}, LinkStorage::twice);
    check(Fixed16{}, BoundaryAngles{test::kAngles}, LinkStorage::once);
  } else {
    GTEST_SKIP() << "does not apply: registers of this CPU hold no pairs";
  }
}

TEST_P(Pairs, GiveTheBitsOfSingleSites) { check_bits<float>(GetParam().make(Comm::world())); }

TEST_P(Pairs, HaveNeighboursTogether) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Layout& layout = lattice.layout();
  const int along = layout.pair_direction();
  if (!registers_hold_pairs<float> || layout.order() != Order::virtual_nodes || along < 0)
    GTEST_SKIP() << "does not apply: registers of this CPU, or the extents of this lattice, hold no pairs";
  const Stencil::View stencil = Stencil::of(lattice).view();
  const int half = layout.outer_extent()[along] / 2;
  for (int outer = 0; outer < layout.n_outer(); outer += 2) {
    const int x = layout.outer_coordinate(outer)[along];
    for (int leg = 0; leg < 8; ++leg) {
      // At the ends of the local lattice one of them may be on another rank.
      const bool at_end = leg / 2 == along && lattice.communicates(along) && x == (leg % 2 == 0 ? half - 1 : 0);
      EXPECT_NE(stencil.at(PairSite{outer})(leg).together(), at_end) << "pair " << outer << ", leg " << leg;
    }
  }
}

TEST_P(Pairs, CoverARangeAndAList) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Stencil& stencil = Stencil::of(lattice);
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
    const SiteRange range = lattice.layout().range(subset);
    std::vector<int> times(std::size_t(lattice.layout().range(Subset::all).n_outer), 0);
    // Where registers hold no pairs, lists have outer sites one by one.
    if (!registers_hold_pairs<float>) GTEST_SKIP() << "does not apply: registers of this CPU hold no pairs";
    const auto count = [&](const PairSite& x) {
      ASSERT_EQ(x.outer % 2, 0);
      ++times.at(std::size_t(x.lower().outer));
      ++times.at(std::size_t(x.upper().outer));
    };
    for (int k = 0; k < range.n_pairs(); ++k) count(range.pair(k));
    for (const SiteList& list : {stencil.interior(subset), stencil.surface(subset)})
      for (int k = 0; k < list.n_pairs(); ++k) count(list.pair(k));
    for (int k = 0; k < range.n_outer; ++k) {
      EXPECT_EQ(times[std::size_t(range.outer(k))], 2) << "outer site " << range.outer(k);
      times[std::size_t(range.outer(k))] = 0;
    }
    EXPECT_EQ(std::count(times.begin(), times.end(), 0), std::ptrdiff_t(times.size())) << "sites outside the range";
  }
}

/// The small lattices, and such with pairs in x, in y and of any two sites; those have them in t or lie in even-odd
/// order.
std::vector<test::LatticeCase> cases() {
  auto all = test::small_lattice_cases(600);
  for (const bool forced : {false, true})
    for (const Coord& extent : {Coord{8, 4, 4, 4}, {4, 8, 4, 4}, {4, 4, 4, 6}}) all.push_back({extent, {}, forced});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Lattices, Pairs, ::testing::ValuesIn(cases()), test::case_name);

}  // namespace pairs
}  // namespace
}  // namespace kov

#endif
