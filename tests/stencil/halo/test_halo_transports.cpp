// SPDX-License-Identifier: MIT
//
// Every transport of a halo brings the same numbers, checked or not, and every fault of a message is found.
#include "kov/core/comm/comm_runtime.hpp"
#include "kov/core/comm/shared_memory.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/stencil/halo/halo_check.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/all_legs.hpp"
#include "tests/support/grids.hpp"
#include "tests/support/lattices.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

namespace kov {
namespace {

using reference::GlobalArray;
using Transport = ExchangeOptions::Transport;
using Wire = ExchangeOptions::Wire;

/// The transports that this build and these ranks have.
std::vector<Transport> transports() {
  const Comm comm = Comm::world();
  std::vector<Transport> all{Transport::staged};
  if (unified_memory)
    all.push_back(Transport::shared);
  else if (comm.takes_device_memory())
    all.push_back(Transport::device);
  return all;
}

/// Whether processes of this machine can share memory.
bool has_shared_memory() { return unified_memory && bool(SharedMemory::make(1)); }

TEST(Transports, AreTheFastestByThemselves) {
  EXPECT_EQ(Lattice(Comm::world(), {4, 4, 4, 8}).exchange_options().transport, transports().back());
}

/// What f returns on every transport, without checks, with some and with all, is the same.
template <class F>
void same_on_all(const test::LatticeCase& c, const F& f) {
  std::optional<decltype(f(c.make(Comm::world())))> first;
  for (const Transport transport : transports())
    for (const int checked : {0, 1, -1}) {
      const Lattice lattice(
          Comm::world(), c.extent,
          {.order = c.order,
           .force_exchange = c.force_exchange,
           .exchange = {.transport = transport, .checked_exchanges = checked, .timeout_seconds = 60}});
      auto result = f(lattice);
      if (!first)
        first = std::move(result);
      else
        EXPECT_TRUE(result == *first) << to_string(transport) << " with " << checked << " checked exchanges";
    }
}

template <template <class> class SiteT, class T>
void check_fields(const test::LatticeCase& c, Wire wire, int n) {
  same_on_all(c, [&](const Lattice& lattice) {
    const Stencil& stencil = Stencil::of(lattice);
    const Field<SiteT, T> in(lattice, "in", n);
    const Halo<SiteT, T> halo(lattice, stencil, n, {.wire = wire});
    const bool shared = lattice.exchange_options().transport == Transport::shared && has_shared_memory();
    EXPECT_EQ(halo.shared_faces(), shared ? int(halo.message_bytes().size()) : 0);
    std::vector<std::vector<reference::Number>> results;
    for (unsigned k = 0; k < 3; ++k) {
      load(in, reference::random_array(lattice.extent(), SiteT<T>::n_complex * n, k));
      results.push_back(test::neighbours(in, stencil, halo).data);
    }
    EXPECT_NE(results[0], results[1]);
    return results;
  });
}

template <template <class> class SiteT, class T, int W>
void check_columns(const test::LatticeCase& c, Wire wire, int n) {
  same_on_all(c, [&](const Lattice& lattice) {
    const Field<SiteT, T, ColumnLanes<W>> in(lattice, "in", n);
    for (int k = 0; k < n; ++k)
      copy_components(reference::random_field<SiteT, T>(lattice, 1, 1 + std::uint64_t(k)), 0, in, k, 1);
    std::vector<std::vector<reference::Number>> results;
    for (const auto& a : test::neighbours(in, Halo<SiteT, T, ColumnLanes<W>>(lattice, n, {.wire = wire})))
      results.push_back(a.data);
    return results;
  });
}

class Transports : public test::OnLattices {};

TEST_P(Transports, BringTheSameNeighbours) {
  check_fields<Spinor, double>(GetParam(), Wire::full, 1);
  check_fields<Spinor, float>(GetParam(), Wire::full, 3);
  check_fields<Spinor, double>(GetParam(), Wire::single, 2);
  check_fields<ColorVector, float>(GetParam(), Wire::fixed16, 1);
  check_fields<ColorMatrix, double>(GetParam(), Wire::full, 4);
}

TEST_P(Transports, BringTheSameColumns) {
  check_columns<Spinor, double, 8>(GetParam(), Wire::full, 3);
  check_columns<ColorVector, float, 4>(GetParam(), Wire::fixed16, 5);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Transports, ::testing::ValuesIn(test::small_lattice_cases(1000)), test::case_name);

/// A leg that crosses ranks: the sender, the receiver and the name of its message in errors.
struct FaultyLeg {
  int leg, sender, receiver;
  std::string name;
};

/// The legs of every direction that the grid divides (of all directions on one rank), each with another sender.
std::vector<FaultyLeg> faulty_legs(const Coord& extent, const Coord& grid, int n_ranks) {
  std::vector<FaultyLeg> all;
  for (int leg = 0; leg < 8; ++leg) {
    const int mu = leg / 2, step = leg % 2 ? -1 : 1;
    if (n_ranks > 1 && grid[mu] == 1) continue;
    const int sender = (mu + leg) % n_ranks;
    const int receiver = Geometry(extent, grid, sender, n_ranks).neighbour(mu, -step);
    const std::string side(1, step > 0 ? '+' : '-');
    all.push_back({leg, sender, receiver,
                   sentence("the halo message of leg", side + "xyzt"[mu], "from rank", sender, "to rank", receiver)});
  }
  return all;
}

/// f throws a CommError with both texts on this rank, and nothing on the others.
void expect_only(int rank, const std::string& name, const std::string& problem, const std::function<void()>& f) {
  std::string text;
  try {
    f();
  } catch (const CommError& e) {
    text = e.what();
  }
  if (Comm::world().rank() != rank)
    EXPECT_EQ(text, "") << "rank " << rank << " was to find it";
  else
    EXPECT_TRUE(text.find(name) != std::string::npos && text.find(problem) != std::string::npos)
        << "expected: " << name << ' ' << problem << "; got: " << text;
}

struct HaloFaults : ::testing::Test {
  using Faces = Halo<ColorVector, double>;

  const Comm comm = Comm::world();
  const Coord extent{8, 8, 8, 8};

  /// Calls check, which puts a fault into an exchange, for each transport, grid and face; the exchange after it is
  /// unharmed.
  template <class Check>
  void on_every_face(double timeout, const std::vector<Coord>& grids, const Check& check) const {
    for (const Transport transport : transports())
      for (const Coord& grid : grids) {
        SCOPED_TRACE(to_string(transport));
        const Lattice lattice(
            comm, extent,
            {.grid = grid,
             .force_exchange = true,
             .exchange = {.transport = transport, .checked_exchanges = -1, .timeout_seconds = timeout}});
        const Field<ColorVector, double> in(lattice, "in");
        load(in, reference::random_array(extent, 3, 1));
        const Faces halo(lattice, 1);
        halo.exchange(in);
        for (const FaultyLeg& leg : faulty_legs(extent, grid, comm.size())) {
          check(lattice, halo, in, leg);
          comm.barrier();
          EXPECT_NO_THROW(halo.exchange(in)) << "after a fault of " << leg.name;
        }
      }
  }

  /// The grids that divide one direction.
  std::vector<Coord> lines() const {
    std::vector<Coord> all;
    for (int mu = 0; mu < (comm.size() == 1 ? 1 : 4); ++mu) {
      all.push_back({1, 1, 1, 1});
      all.back()[mu] = comm.size();
    }
    return all;
  }

  static auto inject(HaloFault::Kind kind, const std::string& problem) {
    return [=](const Lattice&, const Faces& halo, const Field<ColorVector, double>& in, const FaultyLeg& leg) {
      inject_halo_fault({kind, leg.sender, leg.leg});
      expect_only(leg.receiver, leg.name, problem, [&] { halo.exchange(in); });
    };
  }
};

TEST_F(HaloFaults, FlippedBitsAreFoundOnEveryFace) {
  on_every_face(60, test::grids(extent, comm.size()), inject(HaloFault::Kind::flipped, "was damaged on its way"));
}

TEST_F(HaloFaults, OldSequenceNumbersAreFoundOnEveryFace) {
  on_every_face(60, test::grids(extent, comm.size()), inject(HaloFault::Kind::stale, "an old message was delivered"));
}

TEST_F(HaloFaults, LostMessagesAreFoundOnEveryFace) {
  on_every_face(0.25, lines(),
                inject(HaloFault::Kind::lost, detail::CommRuntime::has_mpi() ? "did not arrive" : "was not sent"));
}

/// An old message is delivered in place of a lost one: all of it, or only its numbers.  Of a shared face only trailers
/// are messages.
TEST_F(HaloFaults, OldMessagesAreFoundOnEveryFace) {
  if (!detail::CommRuntime::has_mpi()) GTEST_SKIP() << "does not apply: without MPI no messages come from outside";
  on_every_face(60, lines(), [&](const Lattice& lattice, const Faces& halo, const auto& in, const FaultyLeg& leg) {
    // As MessageTransport and HaloCheck send: face f with tag 2 f, its trailer with 2 f + 1.  MPI delivers in the order
    // of sending.
    const auto& faces = Stencil::of(lattice).halo().faces;
    const auto face = std::find_if(faces.begin(), faces.end(), [&](const auto& f) { return f.leg == leg.leg; });
    ASSERT_NE(face, faces.end());
    const int f = int(face - faces.begin());
    const bool shared = halo.shared_faces() > 0;
    const std::vector<std::byte> old(halo.message_bytes().at(std::size_t(f)), std::byte{1});
    const HaloTrailer trailer = seal(old, 1, leg.leg);
    for (const bool whole : {true, false}) {
      if (shared && !whole) continue;
      Comm::Exchange earlier(comm);
      if (comm.rank() == leg.sender) {
        if (!shared) earlier.send(old, leg.receiver, 2 * f);
        if (whole) earlier.send(std::as_bytes(std::span(&trailer, 1)), leg.receiver, 2 * f + 1);
      }
      if (!shared) inject_halo_fault({HaloFault::Kind::lost, leg.sender, leg.leg});
      expect_only(leg.receiver, leg.name, whole ? "belongs to exchange 1 but exchange" : "was damaged on its way",
                  [&] { halo.exchange(in); });
      HaloTrailer displaced;
      if (whole && comm.rank() == leg.receiver)
        earlier.receive(std::as_writable_bytes(std::span(&displaced, 1)), leg.sender, 2 * f + 1);
      earlier.wait(60);
    }
  });
}

}  // namespace
}  // namespace kov
