// SPDX-License-Identifier: MIT
//
// Results as checksums, so that every decomposition of a lattice on the ranks of this run can be held against one rank,
// bit for bit.  With KOV_BITS_TABLE set, rank 0 prints a line for each, which decompositions.py compares among runs.
#pragma once

#include "kov/core/field/site_map.hpp"
#include "kov/core/io/checksum.hpp"
#include "tests/support/grids.hpp"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace kov::test {

/// The extent of the lattices that are decomposed: every grid of up to eight ranks divides it.
inline const Coord bits_extent{8, 4, 4, 8};

using Checksum = std::array<std::uint32_t, 2>;
/// Checksums by the names of what they belong to.
using Checksums = std::map<std::string, Checksum>;

template <class T>
inline constexpr const char* in_precision = sizeof(T) == 8 ? ", double" : ", float";

/// The checksum of the bytes of all sites in lexicographic order of the whole lattice.
template <template <class> class SiteT, class Storage, class Lanes>
Checksum checksum(const Field<SiteT, Storage, Lanes>& field) {
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

inline Checksum checksum_of(std::span<const double> values) { return {crc32(std::as_bytes(values)), 0}; }
inline Checksum checksum_of(std::span<const std::complex<double>> values) { return {crc32(std::as_bytes(values)), 0}; }

/// A lattice of this run: its ranks, and how neighbours are exchanged.
struct Decomposition {
  Lattice lattice;
  std::string schedule;

  std::string text() const { return "grid " + to_string(lattice.geometry().grid()) + ", " + schedule; }
};

/// How operators that overlap messages with work may run.
enum class Schedules { blocking, both };

inline Decomposition decomposition(const Coord& extent, const std::optional<Coord>& grid,
                                   ExchangeOptions::Overlap overlap) {
  const Comm comm = Comm::world();
  const LatticeOptions options{
      .grid = grid, .force_exchange = comm.size() == 1, .exchange = {.overlap = overlap, .checked_exchanges = 0}};
  const bool blocks = overlap == ExchangeOptions::Overlap::blocking;
  return {Lattice(comm, extent, options), blocks ? "blocking" : "overlapped"};
}

/// kind: "bits" are to be the same in all runs, "threads" in runs that differ in the number of threads alone.
inline void print_checksums(const char* kind, const Decomposition& where, const Checksums& checksums) {
  const Comm& comm = where.lattice.comm();
  if (std::getenv("KOV_BITS_TABLE") == nullptr || comm.rank() != 0) return;
  for (const auto& [what, sum] : checksums)
    std::printf("%s; %s; %d; %s; %s; %08x %08x\n", kind, what.c_str(), comm.size(),
                to_string(where.lattice.geometry().grid()).c_str(), where.schedule.c_str(), sum[0], sum[1]);
}

/// results(lattice) of rank 0 alone, told to all.
template <class Results>
Checksums on_one_rank(const Coord& extent, const Results& results) {
  const Comm comm = Comm::world();
  std::ostringstream text;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    for (const auto& [what, sum] : results(Lattice(Comm::self(), extent)))
      text << what << '\n' << sum[0] << ' ' << sum[1] << '\n';
  });
  std::istringstream lines(comm.broadcast(text.str()));
  Checksums alone;
  for (std::string what; std::getline(lines, what); lines.ignore()) lines >> alone[what][0] >> alone[what][1];
  return alone;
}

/// results(lattice) gives the same checksums as on one rank with every grid of the ranks of this run.  One rank
/// exchanges halos with itself.
template <class Results>
void expect_bits_of_one_rank(const Coord& extent, Schedules schedules, const Results& results) {
  using Overlap = ExchangeOptions::Overlap;
  const Checksums alone = on_one_rank(extent, results);
  ASSERT_FALSE(alone.empty());
  for (const Coord& grid : grids(extent, Comm::world().size()))
    for (const Overlap overlap : {Overlap::blocking, Overlap::overlapped}) {
      if (overlap == Overlap::overlapped && schedules == Schedules::blocking) continue;
      const Decomposition there = decomposition(extent, grid, overlap);
      const Checksums shared = results(there.lattice);
      for (const auto& [what, sum] : alone) EXPECT_EQ(shared.at(what), sum) << what << " on " << there.text();
      print_checksums("bits", there, shared);
    }
}

/// results(lattice) is what adds up numbers in an order that depends on the decomposition: on one grid it gives the
/// same checksums blocking and overlapped.  decompositions.py compares other numbers of threads.
template <class Results>
void expect_the_same_bits_again(const Coord& extent, const Results& results) {
  using Overlap = ExchangeOptions::Overlap;
  const Decomposition there = decomposition(extent, {}, Overlap::blocking),
                      overlapped = decomposition(extent, {}, Overlap::overlapped);
  const Checksums first = results(there.lattice), again = results(overlapped.lattice);
  for (const auto& [what, sum] : first) EXPECT_EQ(again.at(what), sum) << what << " on " << there.text();
  print_checksums("threads", there, first);
}

}  // namespace kov::test
