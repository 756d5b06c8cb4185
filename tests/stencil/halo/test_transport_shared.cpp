// SPDX-License-Identifier: MIT
//
// Halos that ranks of one host write into each other's memory: the same numbers as by messages, exchange after
// exchange, and nothing overwritten that is still read.
#include "kov/core/launch/for_each_site.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/all_legs.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;
using test::AllLegs;
using Transport = ExchangeOptions::Transport;

using OtherParity = HaloChoice::OtherParity;

TEST(SharedHalo, KeepsTheOtherParityWhereItIsAskedTo) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true, .exchange = {.checked_exchanges = 0}});
  const Stencil& stencil = Stencil::of(lattice);
  const Field<ColorVector, double> in(lattice, "in"), out(lattice, "out", 8), expected(lattice, "expected", 8);
  const Halo<ColorVector, double> halo(lattice, stencil, 1, {.other_parity = OtherParity::kept});
  const Halo<ColorVector, double> other(lattice, stencil, 1);
  load(in, reference::random_array(lattice.extent(), 3, 1));
  halo.exchange(in);
  load(in, reference::random_array(lattice.extent(), 3, 2));
  halo.exchange(in.even());
  using Kernel = AllLegs<ColorVector, double>;
  for_each_site("all_legs", in.range(), 8, Kernel{stencil.view(), other.exchange(in), expected.view(), 1});
  // Of both parities.
  const Halo<ColorVector, double>::Neighbours neighbours(in.view(), halo.exchange(in.odd()).halo());
  for_each_site("all_legs", in.range(), 8, Kernel{stencil.view(), neighbours, out.view(), 1});
  EXPECT_TRUE(gather(out).data == gather(expected).data);
}

/// All neighbours of the sites of this rank, as numbers of export_sites().
std::vector<double> own_neighbours(const Lattice& lattice, const GlobalArray& source) {
  std::vector<double> all;
  reference::for_each_coordinate(lattice.geometry().local_extent(), [&](const Coord& local) {
    const Coord x = lattice.geometry().global(local);
    for (int leg = 0; leg < 8; ++leg) {
      const auto* right = source.at(reference::shifted(x, leg / 2, leg % 2 ? -1 : 1));
      for (int c = 0; c < 3; ++c) all.insert(all.end(), {right[c].real(), right[c].imag()});
    }
  });
  return all;
}

/// The numbers of the legs that a halo brings; the others are 0.
std::vector<double> of_legs(std::vector<double> all, const std::vector<int>& legs) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!legs.empty() && std::count(legs.begin(), legs.end(), int(i / 6 % 8)) == 0) all[i] = 0;
  return all;
}

TEST(SharedHalo, IsNotOverwrittenWhileItIsRead) {
  const Comm comm = Comm::world();
  for (const int checked : {0, -1}) {
    const Lattice lattice(comm, {4, 4, 4, 8}, {.force_exchange = true, .exchange = {.checked_exchanges = checked}});
    const Stencil& stencil = Stencil::of(lattice);
    const Field<ColorVector, double> in(lattice, "in"), out(lattice, "out", 8);
    // With legs of one side, a rank reads from some ranks and is read by others, so that some get further ahead.
    for (const auto& legs : {std::vector<int>{}, forward_legs})
      for (const OtherParity other_parity : {OtherParity::dropped, OtherParity::kept}) {
        const Halo<ColorVector, double> halo(lattice, stencil, 1, {.legs = legs, .other_parity = other_parity});
        for (int k = 0; k < comm.size() + 2; ++k) {
          const GlobalArray source = reference::random_array(lattice.extent(), 3, unsigned(k));
          load(in, source);
          const auto neighbours = halo.exchange(in);
          // One rank is slow in reading its halo while the others go on to their next exchanges.
          if (comm.rank() == k % comm.size()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
          for_each_site("all_legs", in.range(), 8,
                        AllLegs<ColorVector, double>{stencil.view(), neighbours, out.view(), 1});
          Kokkos::fence();
          // No collective call before the next exchange: each rank looks at its own sites.
          EXPECT_TRUE(of_legs(export_sites(out), legs) == of_legs(own_neighbours(lattice, source), legs))
              << "exchange " << k << " of " << (legs.empty() ? "all" : "forward") << " legs, checked " << checked;
        }
      }
  }
}

/// All other ranks begin their next exchange, and the one after the first of them waits for them to: who waited for
/// readers would wait for it in vain.
TEST(SharedHalo, BeginDoesNotWaitForReadersOfTheLastExchange) {
  const Comm comm = Comm::world();
  for (const Transport transport : {Transport::staged, Transport::automatic}) {
    const Lattice lattice(
        comm, {4, 4, 4, 8},
        {.force_exchange = true, .exchange = {.transport = transport, .checked_exchanges = 0, .timeout_seconds = 30}});
    const Stencil& stencil = Stencil::of(lattice);
    const Field<ColorVector, double> in(lattice, "in"), out(lattice, "out", 8);
    const Halo<ColorVector, double> halo(lattice, stencil, 1);
    const auto expect = [&](const GlobalArray& source, const auto& neighbours) {
      for_each_site("all_legs", in.range(), 8, AllLegs<ColorVector, double>{stencil.view(), neighbours, out.view(), 1});
      Kokkos::fence();
      EXPECT_TRUE(export_sites(out) == own_neighbours(lattice, source)) << to_string(transport);
    };
    for (int slow = 0; slow < comm.size(); ++slow) {
      const GlobalArray first = reference::random_array(lattice.extent(), 3, 1),
                        second = reference::random_array(lattice.extent(), 3, 2);
      load(in, first);
      auto neighbours = halo.exchange(in);
      if (comm.rank() != slow) {
        expect(first, neighbours);
        load(in, second);
        neighbours = halo.begin(in);
      }
      std::vector<std::byte> words(comm.size());
      Comm::Exchange messages(comm);
      for (int r = 0; r < comm.size(); ++r) {
        if (r == slow) continue;
        if (comm.rank() == slow) messages.receive(std::span(words).subspan(std::size_t(r), 1), r, 100);
        if (comm.rank() == r) messages.send(std::span(words).first(1), slow, 100);
      }
      messages.wait(60);
      if (comm.rank() == slow) {
        expect(first, neighbours);
        load(in, second);
        neighbours = halo.begin(in);
      }
      halo.finish();
      expect(second, neighbours);
    }
  }
}

TEST(SharedHalo, WorksForLegsOfOneSide) {
  for (const Transport transport : {Transport::staged, Transport::automatic}) {
    const Lattice lattice(Comm::world(), {4, 4, 4, 8},
                          {.force_exchange = true, .exchange = {.transport = transport, .checked_exchanges = 0}});
    const Stencil& stencil = Stencil::of(lattice);
    const GlobalArray source = reference::random_array(lattice.extent(), 3, 5);
    const Field<ColorVector, double> in(lattice, "in"), out(lattice, "out", 8);
    load(in, source);
    const Halo<ColorVector, double> forward(lattice, stencil, 1, {.legs = forward_legs});
    for (int k = 0; k < 3; ++k)
      for_each_site("all_legs", in.range(), 8,
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
  std::vector<std::vector<std::complex<double>>> results;
  for (const auto& [transport, checked] :
       {std::pair(Transport::staged, 0), std::pair(Transport::automatic, 0), std::pair(Transport::automatic, -1)}) {
    const Lattice lattice(comm, {8, 8, 8, 4 * comm.size()},
                          {.grid = Coord{1, 1, 1, comm.size()},
                           .force_exchange = true,
                           .exchange = {.transport = transport, .checked_exchanges = checked}});
    const Stencil& stencil = Stencil::of(lattice, {{0, 0, 0, 1}});
    const SpinorField<double> in(lattice, "in", n), out(lattice, "out", n);
    const GlobalArray source = reference::random_array(lattice.extent(), 12 * n, 5);
    load(in, source);
    const Halo<Spinor, double> halo(lattice, stencil, n);
    ASSERT_GT(halo.message_bytes().at(0), std::size_t(4) << 20);
    for_each_site("all_legs", in.range(), n, AllLegs<Spinor, double>{stencil.view(), halo.exchange(in), out.view(), n});
    results.push_back(gather(out).data);
  }
  EXPECT_TRUE(results[1] == results[0]);
  EXPECT_TRUE(results[2] == results[0]) << "in a checked exchange";
}

}  // namespace
}  // namespace kov
