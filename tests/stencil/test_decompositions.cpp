// SPDX-License-Identifier: MIT
//
// One lattice, every decomposition of it on the ranks of this run, blocking and overlapped: each operator gives the
// bits it gives on one rank.  With KOV_BITS_TABLE set, rank 0 prints a line "operator, ranks, grid, schedule, checksum"
// for each.
#include "kov/core/field_ops.hpp"
#include "kov/core/io/checksum.hpp"
#include "kov/core/site_map.hpp"
#include "kov/stencil/adjoint_laplacian.hpp"
#include "kov/stencil/laplacian.hpp"
#include "kov/stencil/link_smearing.hpp"
#include "kov/stencil/observables.hpp"
#include "kov/stencil/profile_smearing.hpp"
#include "kov/stencil/wilson.hpp"
#include "tests/reference/global_array.hpp"
#include "tests/support/grids.hpp"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

namespace kov {
namespace {

using reference::GlobalArray;
using Overlap = HaloOptions::Overlap;
using Checksum = std::array<std::uint32_t, 2>;

/// Of the bytes of all sites, each at its place in the lexicographic order of the whole lattice.
template <class FieldT>
Checksum checksum(const FieldT& field) {
  const Geometry& geometry = field.lattice().geometry();
  const std::vector<double> local = export_sites(field);
  const std::size_t n = local.size() / std::size_t(geometry.local_volume());
  SiteChecksum sum(ChecksumKind::scidac, std::endian::little);
  for (std::int64_t i = 0; i < geometry.local_volume(); ++i) {
    const Coord x = geometry.global(coordinate(i, geometry.local_extent()));
    sum.add(lexicographic(x, geometry.extent()), std::as_bytes(std::span(local).subspan(std::size_t(i) * n, n)));
  }
  sum.combine(field.lattice().comm());
  return sum.values();
}
Checksum checksum_of(std::span<const double> values) { return {crc32(std::as_bytes(values)), 0}; }

using Table = std::map<std::string, Checksum>;

template <class T>
void add_operators(Table& table, const Lattice& lattice, const GaugeField<double>& gauge, const GlobalArray& psi) {
  const std::string real = sizeof(T) == 8 ? ", double" : ", float";
  const GaugeLinks<T> links(gauge, BoundaryAngles::antiperiodic_in_time());
  const SpinorField<T> in(lattice, "in"), out(lattice, "out");
  load(in, psi);
  CovariantLaplacian<T>(links, Dimensions::space).apply(in, out);
  table["Laplacian, 3 dimensions" + real] = checksum(out);
  CovariantLaplacian<T>(links).apply(in, out);
  table["Laplacian, 4 dimensions" + real] = checksum(out);
  WilsonOperator<T>(links, 0.1).apply(in, out);
  table["Wilson operator" + real] = checksum(out);
  WilsonOperator<T>(links, 0.1).hop(in.odd(), out.even());
  table["Wilson hop, even from odd" + real] = checksum(out);
  ProfileSmearing<T>(links, gaussian_profile(1.5), {.order = 9}).apply(in, out);
  table["Chebyshev smearing" + real] = checksum(out);
  const Field<AdjointVector, T> phi(lattice, "phi"), result(lattice, "result");
  GlobalArray adjoint(psi.extent, 8);
  for (std::size_t i = 0; i < adjoint.data.size(); ++i) adjoint.data[i] = psi.data[i];
  load(phi, adjoint);
  AdjointLaplacian<T>(links).apply(phi, result);
  table["adjoint Laplacian" + real] = checksum(result);
}

Table results(const Lattice& lattice, const GlobalArray& u, const GlobalArray& psi) {
  Table table;
  const auto gauge = reference::gauge_field(lattice, u);
  add_operators<double>(table, lattice, gauge, psi);
  add_operators<float>(table, lattice, gauge, psi);
  table["stout links"] = checksum(stout(gauge, {.rho = 0.1, .n = 1, .directions = all_directions}));
  table["HYP links"] = checksum(hyp(gauge, {}));
  const auto exact = plaquettes(gauge, SumMode::exact);
  table["plaquettes, exact sum"] = checksum_of(exact.planes);
  const std::complex<double> loop = polyakov_loop(gauge, SumMode::exact);
  table["Polyakov loop, exact sum"] = checksum_of(std::array{loop.real(), loop.imag()});
  return table;
}

TEST(EveryDecomposition, GivesTheBitsOfOneRank) {
  const Comm comm = Comm::world();
  const Coord extent{8, 4, 4, 8};
  const GlobalArray u = reference::random_su3(extent, 4, 1), psi = reference::random_array(extent, 12, 2);
  const Table alone = results(Lattice(Comm::self(), extent), u, psi);
  const bool print = std::getenv("KOV_BITS_TABLE") != nullptr && comm.rank() == 0;
  for (const Coord& grid : test::grids(extent, comm.size()))
    for (const Overlap overlap : {Overlap::blocking, Overlap::overlapped}) {
      const char* const schedule = overlap == Overlap::blocking ? "blocking" : "overlapped";
      const Lattice lattice(
          comm, extent,
          {.grid = grid, .force_halo = comm.size() == 1, .halo = {.overlap = overlap, .checked_exchanges = 0}});
      const Table shared = results(lattice, u, psi);
      for (const auto& [what, sum] : alone) {
        EXPECT_EQ(shared.at(what), sum) << what << " on grid " << to_string(grid) << ", " << schedule;
        if (print)
          std::printf("bits; %s; %d; %s; %s; %08x %08x\n", what.c_str(), comm.size(), to_string(grid).c_str(), schedule,
                      shared.at(what)[0], shared.at(what)[1]);
      }
    }
}

TEST(EveryDecomposition, AChecksumSeesOneBitAndTwoSitesInTheWrongOrder) {
  const Lattice lattice(Comm::world(), {8, 4, 4, 8});
  const Field<ColorVector, double> field(lattice, "field");
  GlobalArray a = reference::random_array(lattice.extent(), 3, 1);
  load(field, a);
  const Checksum before = checksum(field);
  std::swap_ranges(a.data.begin(), a.data.begin() + 3, a.data.begin() + 3);
  load(field, a);
  EXPECT_NE(checksum(field), before);
  std::swap_ranges(a.data.begin(), a.data.begin() + 3, a.data.begin() + 3);
  a.data[7] *= 1 + 0x1p-52;
  load(field, a);
  EXPECT_NE(checksum(field), before);
}

}  // namespace
}  // namespace kov
