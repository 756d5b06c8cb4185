// SPDX-License-Identifier: MIT
//
// Halos that ranks of one host write into each other's memory: the same numbers as by messages, exchange after
// exchange, and nothing overwritten that is still read.
#include "kov/core/for_each_site.hpp"
#include "kov/core/shared_memory.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/all_legs.hpp"
#include "tests/support/lattices.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;
using test::AllLegs;
using Transport = HaloOptions::Transport;

Lattice lattice_of(const test::LatticeCase& c, Transport transport) {
  return Lattice(Comm::world(), c.extent,
                 {.order = c.order,
                  .force_halo = c.force_halo,
                  .halo = {.transport = transport, .checked_exchanges = 0, .timeout_seconds = 60}});
}

/// Whether this process, and so every other, can have memory that others see.
bool has_shared_memory() { return unified_memory && bool(SharedMemory::make(1)); }

class SharedHalos : public test::OnLattices {};

template <template <class> class SiteT, class T>
void check_exchanges(const test::LatticeCase& c, HaloOptions::Wire wire, int n) {
  std::vector<GlobalArray> results[2];
  for (const Transport transport : {Transport::staged, Transport::automatic}) {
    const Lattice lattice = lattice_of(c, transport);
    const Stencil& stencil = Stencil::of(lattice);
    const Field<SiteT, T> in(lattice, "in", n), out(lattice, "out", 8 * n);
    const Halo<SiteT, T> halo(lattice, stencil, n, {.wire = wire});
    const bool shared = transport == Transport::automatic && has_shared_memory();
    EXPECT_EQ(halo.shared_faces(), shared ? int(halo.message_bytes().size()) : 0);
    for (unsigned k = 0; k < 3; ++k) {
      load(in, reference::random_array(lattice.extent(), SiteT<T>::n_complex * n, k));
      for_each_site<default_lanes>("all_legs", in.range(), 8 * n,
                                   AllLegs<SiteT, T>{stencil.view(), halo.exchange(in), out.view(), n});
      results[transport == Transport::automatic].push_back(gather(out));
    }
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(results[0][k].data, results[1][k].data) << "exchange " << k;
  EXPECT_NE(results[0][0].data, results[0][1].data);
}

TEST_P(SharedHalos, AreTheHalosOfMessages) {
  using Wire = HaloOptions::Wire;
  check_exchanges<Spinor, double>(GetParam(), Wire::full, 1);
  check_exchanges<Spinor, float>(GetParam(), Wire::full, 3);
  check_exchanges<Spinor, double>(GetParam(), Wire::single, 2);
  check_exchanges<ColorVector, float>(GetParam(), Wire::fixed16, 1);
  check_exchanges<ColorMatrix, double>(GetParam(), Wire::full, 4);
}

INSTANTIATE_TEST_SUITE_P(Lattices, SharedHalos, ::testing::ValuesIn(test::small_lattice_cases(1000)), test::case_name);

TEST(SharedHalo, KeepsTheOtherParity) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_halo = true, .halo = {.checked_exchanges = 0}});
  const Stencil& stencil = Stencil::of(lattice);
  const Field<ColorVector, double> in(lattice, "in"), out(lattice, "out", 8), expected(lattice, "expected", 8);
  const Halo<ColorVector, double> halo(lattice, stencil, 1), other(lattice, stencil, 1);
  load(in, reference::random_array(lattice.extent(), 3, 1));
  halo.exchange(in);
  load(in, reference::random_array(lattice.extent(), 3, 2));
  halo.exchange(in.even());
  using Kernel = AllLegs<ColorVector, double>;
  for_each_site<default_lanes>("all_legs", in.range(), 8,
                               Kernel{stencil.view(), other.exchange(in), expected.view(), 1});
  for_each_site<default_lanes>("all_legs", in.range(), 8,
                               Kernel{stencil.view(), halo.exchange(in.odd()), out.view(), 1});
  EXPECT_TRUE(gather(out).data == gather(expected).data);
}

TEST(SharedHalo, IsNotOverwrittenWhileItIsRead) {
  const Comm comm = Comm::world();
  const Lattice lattice(comm, {4, 4, 4, 8}, {.halo = {.checked_exchanges = 0}});
  if (comm.size() == 1) GTEST_SKIP() << "needs two ranks";
  const Stencil& stencil = Stencil::of(lattice);
  const Field<ColorVector, double> in(lattice, "in"), out(lattice, "out", 8);
  const Halo<ColorVector, double> halo(lattice, stencil, 1);
  for (unsigned k = 0; k < 4; ++k) {
    const GlobalArray source = reference::random_array(lattice.extent(), 3, k);
    load(in, source);
    const auto neighbours = halo.exchange(in);
    // One rank dawdles over its sites while the others are at their next exchange.
    if (comm.rank() == int(k) % comm.size()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for_each_site<default_lanes>("all_legs", in.range(), 8,
                                 AllLegs<ColorVector, double>{stencil.view(), neighbours, out.view(), 1});
    Kokkos::fence();
    // No collective call before the next exchange on the ranks that do not dawdle: each looks at its own sites.
    const FieldView<ColorVector, double, default_lanes> view = out.view();
    if constexpr (unified_memory) {
      const Layout& layout = lattice.layout();
      for (int o = 0; o < layout.n_outer(); ++o)
        for (int lane = 0; lane < layout.lanes(); ++lane) {
          if (!layout.is_site(o, lane)) continue;
          Coord x = layout.coordinate(o, lane);
          for (int mu = 0; mu < 4; ++mu) x[mu] += lattice.geometry().origin()[mu];
          for (int leg = 0; leg < 8; ++leg) {
            const auto* right = source.at(reference::shifted(x, leg / 2, leg % 2 ? -1 : 1));
            const auto got = view(LaneSite{o, lane}, leg);
            for (int c = 0; c < 3; ++c) ASSERT_EQ(got.z[c].re, right[c].real()) << to_string(x) << " exchange " << k;
          }
        }
    }
  }
}

TEST(SharedHalo, WorksForLegsOfOneSide) {
  for (const Transport transport : {Transport::staged, Transport::automatic}) {
    const Lattice lattice(Comm::world(), {4, 4, 4, 8},
                          {.force_halo = true, .halo = {.transport = transport, .checked_exchanges = 0}});
    const Stencil& stencil = Stencil::of(lattice);
    const GlobalArray source = reference::random_array(lattice.extent(), 3, 5);
    const Field<ColorVector, double> in(lattice, "in"), out(lattice, "out", 8);
    load(in, source);
    const Halo<ColorVector, double> forward(lattice, stencil, 1, {.legs = forward_legs});
    for (int k = 0; k < 3; ++k)
      for_each_site<default_lanes>("all_legs", in.range(), 8,
                                   AllLegs<ColorVector, double>{stencil.view(), forward.exchange(in), out.view(), 1});
    const GlobalArray got = gather(out);
    reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
      for (int mu = 0; mu < 4; ++mu)
        for (int k = 0; k < 3; ++k) ASSERT_EQ(got.at(x)[6 * mu + k], source.at(reference::shifted(x, mu, 1))[k]);
    });
  }
}

TEST(SharedHalo, IsWhatAMessageIsWhereItIsLargerThanTheCaches) {
  const Comm comm = Comm::world();
  constexpr int n = 48;  // 4.5 MiB a face
  std::vector<std::complex<double>> results[2];
  for (const Transport transport : {Transport::staged, Transport::automatic}) {
    const Lattice lattice(comm, {8, 8, 8, 4 * comm.size()},
                          {.grid = Coord{1, 1, 1, comm.size()},
                           .force_halo = true,
                           .halo = {.transport = transport, .checked_exchanges = 0}});
    const Stencil& stencil = Stencil::of(lattice, {{0, 0, 0, 1}});
    const SpinorField<double> in(lattice, "in", n), out(lattice, "out", n);
    const GlobalArray source = reference::random_array(lattice.extent(), 12 * n, 5);
    load(in, source);
    const Halo<Spinor, double> halo(lattice, stencil, n);
    ASSERT_GT(halo.message_bytes().at(0), std::size_t(4) << 20);
    for_each_site<default_lanes>("all_legs", in.range(), n,
                                 AllLegs<Spinor, double>{stencil.view(), halo.exchange(in), out.view(), n});
    results[transport == Transport::automatic] = gather(out).data;
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace kov
