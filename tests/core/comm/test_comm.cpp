// SPDX-License-Identifier: MIT
//
// Every collective against what one process computes for all ranks; messages in rings; errors that no rank is left out
// of.
#include "kov/core/comm/comm.hpp"
#include "kov/core/comm/comm_runtime.hpp"
#include "kov/core/comm/shared_memory.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <thread>

namespace kov {
namespace {

/// One number for each rank, such that sums depend on the order of addition.
double real_of(int rank) { return rank % 3 == 0 ? 1e16 + rank : rank % 3 == 1 ? 1.25 : -1e16; }
std::uint32_t word_of(int rank) { return 0xdeadbeefu * std::uint32_t(rank + 1); }

std::vector<std::byte> block_of(int rank, std::size_t length) {
  std::vector<std::byte> block(length);
  for (std::size_t i = 0; i < length; ++i) block[i] = std::byte(std::size_t(rank) * 37 + i * 11);
  return block;
}

class Communication : public ::testing::Test {
 protected:
  const Comm comm = Comm::world();
  const int rank = comm.rank(), size = comm.size();
  const int up = (rank + 1) % size, down = (rank + size - 1) % size;
};

TEST_F(Communication, RanksAreNumberedAndSelfIsOne) {
  EXPECT_TRUE(rank >= 0 && rank < size);
  EXPECT_EQ(Comm::self().rank(), 0);
  EXPECT_EQ(Comm::self().size(), 1);
  comm.barrier();
}

/// Ranks beyond a power of two first add to the lowest ones; then neighbours are added, pairs of these, and so on.
double tree_sum(std::vector<double> of_rank) {
  const std::size_t n = std::bit_floor(of_rank.size());
  for (std::size_t r = n; r < of_rank.size(); ++r) of_rank[r - n] += of_rank[r];
  of_rank.resize(n);
  while (of_rank.size() > 1) {
    for (std::size_t r = 0; r < of_rank.size(); r += 2) of_rank[r / 2] = of_rank[r] + of_rank[r + 1];
    of_rank.resize(of_rank.size() / 2);
  }
  return of_rank[0];
}

// The others wait meanwhile in an operation of all.
TEST_F(Communication, FirstRanksAreAGroupWithAllOperations) {
  for (int n = 1; n <= size; ++n) {
    const std::optional<Comm> group = comm.first(n);
    EXPECT_EQ(group.has_value(), rank < n);
    if (group) {
      EXPECT_EQ(group->rank(), rank);
      EXPECT_EQ(group->size(), n);
      group->barrier();
      std::vector<double> reals{real_of(rank), 1};
      std::vector<double> of_rank;
      for (int r = 0; r < n; ++r) of_rank.push_back(real_of(r));
      group->sum(reals);
      EXPECT_EQ(reals, (std::vector<double>{tree_sum(of_rank), double(n)}));
      std::vector<std::int64_t> integers{rank, -rank};
      group->max(integers);
      EXPECT_EQ(integers, (std::vector<std::int64_t>{n - 1, 0}));
      group->sum(integers);
      EXPECT_EQ(integers, (std::vector<std::int64_t>{n * (n - 1), 0}));
      std::vector<std::uint32_t> words{word_of(rank)}, expected{0};
      for (int r = 0; r < n; ++r) expected[0] ^= word_of(r);
      group->bit_xor(words);
      EXPECT_EQ(words, expected);
      for (int root = 0; root < n; ++root) {
        const std::string text = "from rank " + std::to_string(root);
        EXPECT_EQ(group->broadcast(rank == root ? text : "", root), text);
      }
      const auto blocks = group->all_gather(block_of(rank, std::size_t(rank) * 3));
      ASSERT_EQ(int(blocks.size()), n);
      for (int r = 0; r < n; ++r) EXPECT_EQ(blocks[std::size_t(r)], block_of(r, std::size_t(r) * 3));
      EXPECT_THROW(group->agree([&] { require(rank != n - 1, "the last rank fails"); }), Error);
      std::vector<std::byte> from_down(7);
      Comm::Exchange ring(*group);
      ring.receive(from_down, (rank + n - 1) % n, 0);
      const auto mine = block_of(rank, 7);
      ring.send(mine, (rank + 1) % n, 0);
      ring.wait();
      EXPECT_EQ(from_down, block_of((rank + n - 1) % n, 7));
    }
    comm.barrier();
  }
  EXPECT_THROW(comm.first(0), InputError);
  EXPECT_THROW(comm.first(size + 1), InputError);
}

TEST_F(Communication, DoublesAreSummedInAFixedTree) {
  // Few enough for a message that MPI sends eagerly, and more.
  for (const std::size_t n : {1u, 7u, 100000u}) {
    const auto value_of = [](int r, std::size_t i) { return real_of(r) / double(i % 1000 + 1) + std::sqrt(double(r)); };
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = value_of(rank, i);
    comm.sum(values);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> of_rank;
      for (int r = 0; r < size; ++r) of_rank.push_back(value_of(r, i));
      ASSERT_EQ(values[i], tree_sum(of_rank)) << "number " << i << " of " << n;
    }
  }
}

TEST_F(Communication, SumsOfDoublesHaveTheSameBitsOnEveryRank) {
  std::vector<double> values{real_of(rank), 1.0 / (rank + 3), rank ? 1.0 : std::numeric_limits<double>::infinity()};
  comm.sum(values);
  const auto all = comm.all_gather(std::as_bytes(std::span(values)));
  for (const auto& others : all) EXPECT_EQ(others, all[0]);
  EXPECT_TRUE(std::isinf(values[2]));
}

TEST_F(Communication, SumsDoNotMixWithMessagesOnTheirWay) {
  std::vector<std::byte> in(8);
  const std::vector<std::byte> out = block_of(rank, 8);
  Comm::Exchange exchange(comm);
  exchange.receive(in, down, 0);
  exchange.send(out, up, 0);
  std::vector<double> values{double(rank)};
  comm.sum(values);
  EXPECT_EQ(values[0], size * (size - 1) / 2);
  exchange.wait();
  EXPECT_EQ(in, block_of(down, 8));
}

TEST_F(Communication, IntegersAreSummedExactlyAndWordsModulo32Bits) {
  std::vector<std::int64_t> integers{(std::int64_t(1) << 53) + rank, -rank};
  std::vector<std::uint32_t> words{word_of(rank), 0xffffffffu};
  std::int64_t expected = 0;
  std::uint32_t word = 0;
  for (int r = 0; r < size; ++r) {
    expected += (std::int64_t(1) << 53) + r;
    word += word_of(r);
  }
  comm.sum(integers);
  comm.sum(words);
  EXPECT_EQ(integers, (std::vector<std::int64_t>{expected, -size * (size - 1) / 2}));
  EXPECT_EQ(words, (std::vector<std::uint32_t>{word, 0u - std::uint32_t(size)}));
}

TEST_F(Communication, ExclusiveOrAndMaximumAreElementWise) {
  std::vector<std::uint32_t> words{word_of(rank), 1};
  std::uint32_t expected = 0;
  for (int r = 0; r < size; ++r) expected ^= word_of(r);
  comm.bit_xor(words);
  EXPECT_EQ(words, (std::vector<std::uint32_t>{expected, size % 2 ? 1u : 0u}));

  std::vector<double> reals{double(rank), -double(rank), -1e300};
  comm.max(reals);
  EXPECT_EQ(reals, (std::vector<double>{double(size - 1), 0, -1e300}));
  std::vector<std::int64_t> integers{(std::int64_t(1) << 60) + rank, -5 - rank};
  comm.max(integers);
  EXPECT_EQ(integers, (std::vector<std::int64_t>{(std::int64_t(1) << 60) + size - 1, -5}));
}

TEST_F(Communication, CollectivesOfZeroElementsDoNothing) {
  comm.sum(std::span<double>());
  comm.bit_xor(std::span<std::uint32_t>());
  comm.max(std::span<std::int64_t>());
  comm.broadcast(std::span<std::byte>());
}

TEST_F(Communication, BroadcastsReachAllFromAnyRoot) {
  for (int root = 0; root < size; ++root) {
    std::vector<std::byte> bytes = block_of(rank, 1000);
    comm.broadcast(bytes, root);
    EXPECT_EQ(bytes, block_of(root, 1000));
    // Texts differ in length among ranks and may be empty.
    const auto text_of = [](int r) { return std::string(std::size_t(3 * r), char('a' + r)); };
    EXPECT_EQ(comm.broadcast(text_of(rank), root), text_of(root));
  }
}

TEST_F(Communication, GathersBlocksOfDifferentLengths) {
  const auto length = [](int r) { return std::size_t(r * r * 5); };  // that of rank 0 is empty
  const auto blocks = comm.all_gather(block_of(rank, length(rank)));
  ASSERT_EQ(int(blocks.size()), size);
  for (int r = 0; r < size; ++r) EXPECT_EQ(blocks[std::size_t(r)], block_of(r, length(r)));
}

TEST_F(Communication, MessagesOfOneExchangeAreToldApartByTag) {
  // Messages of several lengths up and down the ring, sent and received in different orders; one rank sends to itself.
  constexpr int n = 3;
  const auto content = [](int from, int to, int tag) { return block_of(100 * from + 10 * to + tag, 10u + 700u * tag); };
  for (int round = 0; round < 3; ++round) {
    std::vector<std::vector<std::byte>> in, out;
    for (int tag = 0; tag < n; ++tag) {
      in.emplace_back(content(0, 0, tag).size());
      in.emplace_back(content(0, 0, n + tag).size());
      out.push_back(content(rank, up, tag));
      out.push_back(content(rank, down, n + tag));
    }
    Comm::Exchange made(comm);
    Comm::Exchange exchange = std::move(made);
    for (int tag = 0; tag < n; ++tag) {
      exchange.receive(in[std::size_t(2 * tag)], down, tag);
      exchange.receive(in[std::size_t(2 * tag + 1)], up, n + tag);
    }
    for (int tag = n - 1; tag >= 0; --tag) {
      exchange.send(out[std::size_t(2 * tag + 1)], down, n + tag);
      exchange.send(out[std::size_t(2 * tag)], up, tag);
    }
    exchange.wait();
    for (int tag = 0; tag < n; ++tag) {
      EXPECT_EQ(in[std::size_t(2 * tag)], content(down, rank, tag));
      EXPECT_EQ(in[std::size_t(2 * tag + 1)], content(up, rank, n + tag));
    }
  }
}

TEST_F(Communication, ExchangeCanBeUsedAgainAndBeEmpty) {
  Comm::Exchange exchange(comm);
  exchange.wait();
  for (int round = 0; round < 2; ++round) {
    std::vector<std::byte> in(8);
    const std::vector<std::byte> out = block_of(rank + round, 8);
    exchange.receive(in, down, 5);
    exchange.send(out, up, 5);
    exchange.wait();
    EXPECT_EQ(in, block_of(down + round, 8));
  }
}

// Messages that are too long are not tested: an MPI may truncate them silently, or lose other messages.
TEST_F(Communication, AMessageShorterThanItsBufferIsACommError) {
  for (const std::size_t sent : {std::size_t(0), std::size_t(24), std::size_t(31)}) {
    std::vector<std::byte> in(32);
    const std::vector<std::byte> out = block_of(rank, sent);
    Comm::Exchange exchange(comm);
    exchange.receive(in, down, 9);
    exchange.send(out, up, 9);
    EXPECT_THROW(exchange.wait(), CommError) << sent << " bytes where 32 were expected";
    comm.barrier();
  }
  // The communicator still works afterwards.
  std::vector<std::int64_t> ones{1};
  comm.sum(ones);
  EXPECT_EQ(ones[0], size);
}

TEST_F(Communication, WaitsForWhatAnotherRankWrites) {
  SharedMemory mine = SharedMemory::make(sizeof(std::uint64_t));
  if (!mine) GTEST_SKIP() << "does not apply: this system has no memory that processes share";
  const std::array told{mine.address()};
  const auto addresses = comm.all_gather(std::as_bytes(std::span(told)));
  SharedMemory::Address address;
  std::memcpy(&address, addresses[std::size_t(up)].data(), sizeof address);
  const SharedMemory there = up == rank ? mine : SharedMemory::open(address);
  ASSERT_TRUE(there);
  const auto number = [](const SharedMemory& memory) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory.data()));
  };
  for (std::uint64_t round = 1; round <= 100; ++round) {
    if (rank == int(round) % size) std::this_thread::sleep_for(std::chrono::microseconds(200));
    number(there).store(round);
    comm.wait_until([&] { return number(mine).load() == round; }, down, [] { return std::string("a number"); }, 60);
    comm.barrier();
  }
}

TEST_F(Communication, AMessageThatNeverComesIsACommErrorWithItsName) {
  try {
    comm.wait_until([] { return false; }, up, [] { return std::string("the last word"); }, 0.05);
    ADD_FAILURE() << "nobody said it";
  } catch (const CommError& e) {
    const std::string problem = detail::CommRuntime::has_mpi() ? "did not arrive within 0.05 seconds" : "was not sent";
    EXPECT_NE(std::string(e.what()).find("the last word " + problem), std::string::npos) << e.what();
  }
  comm.barrier();
}

TEST_F(Communication, AgreeingPassesWhereNobodyFails) {
  int calls = 0;
  comm.agree([&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST_F(Communication, AnErrorOfOneRankIsThrownOnEveryRank) {
  for (int failing = 0; failing < size; ++failing) {
    const auto work = [&] { require(rank != failing, "the disk of rank", failing, "is full"); };
    if (rank == failing) {
      EXPECT_THROW(comm.agree(work), InputError);
      continue;
    }
    try {
      comm.agree(work);
      ADD_FAILURE() << "rank " << rank << " went on";
    } catch (const CommError& error) {
      EXPECT_EQ(std::string(error.what()), sentence("rank", failing, "failed: the disk of rank", failing, "is full"));
    }
  }
}

TEST_F(Communication, EveryRankThrowsItsOwnErrorWhereItHasOne) {
  try {
    comm.agree([&] { require<FormatError>(false, "rank", rank, "says no"); });
    ADD_FAILURE() << "rank " << rank << " went on";
  } catch (const FormatError& error) {
    EXPECT_EQ(std::string(error.what()), sentence("rank", rank, "says no"));
  }
  // Exceptions that are not a kov::Error too.
  if (rank == size - 1)
    EXPECT_THROW(comm.agree([] { throw std::bad_alloc(); }), std::bad_alloc);
  else
    EXPECT_THROW(comm.agree([] {}), CommError);
}

}  // namespace
}  // namespace kov
