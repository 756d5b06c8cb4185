// SPDX-License-Identifier: MIT
//
// Transports by themselves: bytes of faces on a ring of ranks, which rank waits for which, and lost faces.
#include "kov/core/base/device.hpp"
#include "kov/core/comm/comm_runtime.hpp"
#include "kov/stencil/halo/transport_messages.hpp"
#include "kov/stencil/halo/transport_shared.hpp"
#include "kov/stencil/halo/transport_staged.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace kov {
namespace {

using detail::HaloTransport;
using detail::HaloTurn;
using detail::TransportFace;

using Bytes = std::vector<std::byte>;

struct TransportTest : ::testing::Test {
  const Comm comm = Comm::world();
  const int rank = comm.rank(), size = comm.size();
  const int up = (rank + 1) % size, down = (rank + size - 1) % size;
  static constexpr std::size_t halo_bytes = 1024;
  const std::vector<TransportFace> faces{face(0, up, down, {96, 64}, 0), face(1, down, up, {160, 32}, 512)};
  static constexpr std::array<std::size_t, 2> both{0, 1};

  TransportFace face(int f, int to, int from, std::array<std::size_t, 2> bytes, std::size_t landing) const {
    return {.leg = f,
            .to_rank = to,
            .from_rank = from,
            .bytes = bytes,
            .landing = landing,
            .name = sentence("face", f, "from rank", from, "to rank", rank)};
  }

  /// Messages of memory itself and of copies, and shared memory with one halo and with two.
  std::vector<std::unique_ptr<HaloTransport>> all() const {
    std::vector<std::unique_ptr<HaloTransport>> transports;
    if (unified_memory || comm.takes_device_memory())
      transports.push_back(std::make_unique<detail::MessageTransport>(comm, faces, halo_bytes, "messages"));
    transports.push_back(std::make_unique<detail::StagedTransport>(comm, faces, halo_bytes));
    if (unified_memory)
      for (const std::size_t n : {1, 2})
        transports.push_back(std::make_unique<detail::SharedTransport>(comm, faces, halo_bytes, n));
    return transports;
  }

  static HaloTurn turn(std::uint64_t sequence, Subset subset = Subset::all, double timeout_seconds = 60) {
    return {sequence, subset, timeout_seconds};
  }
  /// What a rank sends as a face in an exchange.
  static Bytes content(int sender, std::size_t f, std::uint64_t sequence, std::size_t n) {
    Bytes bytes(n);
    for (std::size_t i = 0; i < n; ++i)
      bytes[i] = std::byte(7 * i + 31 * std::size_t(sender) + 101 * f + 13 * sequence + 1);
    return bytes;
  }
  static Bytes read(std::span<std::byte> memory) {
    Bytes bytes(memory.size());
    detail::copy_between(bytes.data(), memory.data(), bytes.size());
    return bytes;
  }
  static void write(std::span<std::byte> memory, const Bytes& bytes) {
    detail::copy_between(memory.data(), bytes.data(), bytes.size());
  }

  void write_faces(const HaloTransport& transport, const HaloTurn& t) const {
    for (const std::size_t f : both) {
      const auto place = faces[f].part(transport.place(transport.halo_of(t), f), t.subset);
      write(place, content(rank, f, t.sequence, place.size()));
    }
  }
  void send_faces(HaloTransport& transport, const HaloTurn& t, std::span<const std::size_t> published) const {
    transport.await_places(t, Exec());
    write_faces(transport, t);
    transport.packed(t, Exec());
    Exec().fence();
    transport.publish(t, published);
  }
  void expect_faces(const HaloTransport& transport, const HaloTurn& t) const {
    Exec().fence();
    for (const std::size_t f : both) {
      const auto place = faces[f].part(transport.halo(transport.halo_of(t)) + faces[f].landing, t.subset);
      EXPECT_EQ(read(place), content(faces[f].from_rank, f, t.sequence, place.size()))
          << transport.name() << ", exchange " << t.sequence << ", face " << f;
    }
  }
  void exchange(HaloTransport& transport, const HaloTurn& t) const {
    send_faces(transport, t, both);
    transport.await(t, Exec());
    expect_faces(transport, t);
  }
  static std::string problem_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const CommError& e) {
      return e.what();
    }
    return "";
  }
  /// Sends one byte from all other ranks to rank `listener`.
  void tell(int listener) const {
    Bytes in(comm.size()), out(1);
    Comm::Exchange messages(comm);
    for (int r = 0; r < size && rank == listener; ++r)
      if (r != rank) messages.receive(std::span(in).subspan(std::size_t(r), 1), r, 100);
    if (rank != listener) messages.send(out, listener, 100);
    messages.wait(60);
  }
};

TEST_F(TransportTest, BringsTheFacesOfEverySubset) {
  for (const auto& transport : all()) {
    std::uint64_t k = 0;
    for (const Subset subset : {Subset::all, Subset::even, Subset::odd, Subset::odd, Subset::all, Subset::even})
      exchange(*transport, turn(++k, subset));
  }
}

TEST_F(TransportTest, LeavesTheOtherParityOfAHaloAlone) {
  for (const auto& transport : all()) {
    exchange(*transport, turn(2));
    exchange(*transport, turn(4, Subset::even));
    for (const std::size_t f : both) {
      const Bytes odd = read(faces[f].part(transport->halo(0) + faces[f].landing, Subset::odd));
      const Bytes before = content(faces[f].from_rank, f, 2, faces[f].bytes[0] + faces[f].bytes[1]);
      EXPECT_TRUE(std::equal(odd.begin(), odd.end(), before.end() - std::ptrdiff_t(odd.size()))) << transport->name();
    }
  }
}

TEST_F(TransportTest, AFaceThatIsNotPublishedIsAnErrorWithItsNameAndTheNextOneIsNot) {
  for (const auto& transport : all())
    for (const std::size_t lost : both) {
      const HaloTurn first = turn(1 + 2 * lost, Subset::all, 0.25);
      const std::array others{1 - lost};
      send_faces(*transport, first, rank == 0 ? std::span<const std::size_t>(others) : both);
      const std::string problem = problem_of([&] { transport->await(first, Exec()); });
      if (faces[lost].from_rank != 0) {
        EXPECT_EQ(problem, "") << transport->name();
      } else {
        EXPECT_NE(problem.find(faces[lost].name), std::string::npos) << transport->name() << ": " << problem;
        EXPECT_NE(problem.find(detail::CommRuntime::has_mpi() ? "did not arrive" : "was not sent"), std::string::npos);
      }
      comm.barrier();
      exchange(*transport, turn(2 + 2 * lost));
      comm.barrier();
    }
}

/// A rank reads its halo until all others have sent the next exchange.
TEST_F(TransportTest, SendsTheNextExchangeWhileReadersAreAtTheLast) {
  for (const auto& transport : all()) {
    if (transport->n_halos() == 1 && transport->n_written_remotely() > 0) continue;
    std::uint64_t k = 0;
    for (int slow = 0; slow < size; ++slow) {
      exchange(*transport, turn(++k));
      const HaloTurn next = turn(++k, Subset::all, 5);
      if (rank != slow) send_faces(*transport, next, both);
      tell(slow);
      if (rank == slow) {
        expect_faces(*transport, turn(k - 1));
        send_faces(*transport, next, both);
      }
      transport->await(next, Exec());
      expect_faces(*transport, next);
    }
  }
}

/// Places are not free until their readers have begun so many exchanges.
TEST_F(TransportTest, WaitsForReadersOfTheHaloThatItWritesTo) {
  if (size == 1) GTEST_SKIP() << "does not apply: needs two ranks";
  for (const auto& transport : all()) {
    if (transport->n_written_remotely() == 0) continue;
    const std::uint64_t n = transport->n_halos();
    exchange(*transport, turn(1));
    if (rank > 0) {
      const bool writes_to_0 = up == 0 || down == 0;
      for (std::uint64_t k = 2; k <= n; ++k) transport->await_places(turn(k), Exec());
      const std::string problem = problem_of([&] { transport->await_places(turn(n + 1, Subset::all, 0.1), Exec()); });
      EXPECT_EQ(problem.find("the signal of a free halo from the receiver of face") == 0, writes_to_0)
          << transport->name() << ": " << problem;
    }
    tell(0);
    if (rank == 0)
      for (std::uint64_t k = 2; k <= n + 1; ++k) transport->await_places(turn(k), Exec());
    if (rank > 0) transport->await_places(turn(n + 1), Exec());
    comm.barrier();
  }
}

/// MPI is handed the memory itself: it sends what is there when faces are published; of a copy, what was there before.
TEST_F(TransportTest, MessagesAreOfTheMemoryOrOfACopy) {
  for (const auto& transport : all()) {
    const HaloTurn first = turn(1), later = turn(9);
    transport->await_places(first, Exec());
    write_faces(*transport, first);
    transport->packed(first, Exec());
    Exec().fence();
    for (const std::size_t f : both) {
      const auto place = faces[f].part(transport->place(transport->halo_of(first), f), Subset::all);
      write(place, content(rank, f, later.sequence, place.size()));
    }
    transport->publish(first, both);
    transport->await(first, Exec());
    Exec().fence();
    const bool copied = transport->name() == "staged" && transport->n_written_remotely() == 0;
    for (const std::size_t f : both) {
      const auto place = faces[f].part(transport->halo(transport->halo_of(first)) + faces[f].landing, Subset::all);
      EXPECT_EQ(read(place), content(faces[f].from_rank, f, copied ? first.sequence : later.sequence, place.size()))
          << transport->name();
    }
  }
}

}  // namespace
}  // namespace kov
