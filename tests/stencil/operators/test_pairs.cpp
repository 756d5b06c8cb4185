// SPDX-License-Identifier: MIT
//
// Kernels on pairs of outer sites give the bits that they give on outer sites one by one, also where registers hold no
// pairs.  GPUs have no packs, hence no pairs.
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
  run_stencil<StencilForms::any,
              Compressor>("hop", hop.halos(), in, out, [&](const auto& neighbours, const auto& stencil) {
    using Kernel = HopKernel<std::decay_t<decltype(links)>, std::decay_t<decltype(neighbours)>, typename F::View, 1,
                             std::decay_t<decltype(stencil)>>;
    return Way<Kernel>{{stencil, links, neighbours, diagonal.view(), out.view(), in.n_groups(), 0.25f, 1, streaming}};
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

TEST_P(Pairs, GiveTheBitsOfSingleSites) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto psi = reference::random_array(lattice.extent(), 24, 2),
             chi = reference::random_array(lattice.extent(), 24, 3);
  const auto check = [&]<class T>(T, const BoundaryAngles& angles, LinkStorage storage) {
    const GaugeField<T> gauge = reference::gauge_field<T>(lattice, reference::random_su3(lattice.extent(), 4, 1));
    const SpinorField<T> in(lattice, "in", 2), diagonal(lattice, "diagonal", 2);
    load(in, psi);
    load(diagonal, chi);
    const Hop<T> hop(GaugeLinks<T>(gauge, angles, storage), {.doubled = true});
    check_hop<SpinProjection>(hop, in, diagonal, "half spinors");
    check_hop<WholeSites>(hop, in, diagonal, "whole spinors");
    const Hop<Links12<T>> of_12(GaugeLinks<Links12<T>>(gauge, angles, storage));
    check_hop<SpinProjection>(of_12, in, diagonal, "links of 12 reals");
  };
  check(0.0, {}, LinkStorage::once);
  check(0.f, BoundaryAngles{test::kAngles}, LinkStorage::once);
  check(0.f, BoundaryAngles{test::kAngles}, LinkStorage::twice);
}

TEST_P(Pairs, CoverARangeAndAList) {
  const Lattice lattice = GetParam().make(Comm::world());
  const Stencil& stencil = Stencil::of(lattice);
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
    const SiteRange range = lattice.layout().range(subset);
    std::vector<int> times(std::size_t(lattice.layout().range(Subset::all).n_outer), 0);
    const auto count = [&](const PairSite& x) {
      times.at(std::size_t(x.lower.outer)) += x.lower.outer == x.upper.outer ? 2 : 1;
      times.at(std::size_t(x.upper.outer)) += x.lower.outer == x.upper.outer ? 0 : 1;
    };
    for (int k = 0; k < range.n_pairs(); ++k) count(range.pair(k));
    for (const SiteList& list : {stencil.interior(subset), stencil.surface(subset)})
      for (int k = 0; k < list.n_pairs(); ++k) count(list.pair(k));
    for (int k = 0; k < range.n_outer; ++k) {
      EXPECT_GE(times[std::size_t(range.outer(k))], 2) << "outer site " << range.outer(k);
      EXPECT_LE(times[std::size_t(range.outer(k))], 4) << "outer site " << range.outer(k);
      times[std::size_t(range.outer(k))] = 0;
    }
    EXPECT_EQ(std::count(times.begin(), times.end(), 0), std::ptrdiff_t(times.size())) << "sites outside the range";
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, Pairs, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

}  // namespace pairs
}  // namespace
}  // namespace kov

#endif
