// SPDX-License-Identifier: MIT
#include "kov/core/base/kept_memory.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace kov::detail {
namespace {

/// A block that counts in `freed` when it is freed.
KeptMemory::Block block_of(std::size_t bytes, int& freed) {
  return {new std::byte[bytes], [&freed](std::byte* p) {
            delete[] p;
            ++freed;
          }};
}

TEST(KeptMemory, GivesABlockAgainToWhoAsksForItsSize) {
  int freed = 0;
  {
    KeptMemory memory(1000);
    EXPECT_EQ(memory.take(100), nullptr);
    auto a = memory.lend(block_of(100, freed), 100);
    std::byte* const at = a.get();
    EXPECT_EQ(memory.bytes_in_use(), 100u);
    const auto handle = a;
    a = nullptr;
    EXPECT_EQ(memory.bytes_kept(), 0u);  // a handle is left
    auto b = memory.lend(block_of(200, freed), 200);
    b = nullptr;
    EXPECT_EQ(memory.bytes_kept(), 200u);
    EXPECT_EQ(memory.take(100), nullptr);
    const_cast<KeptMemory::Block&>(handle) = nullptr;
    EXPECT_EQ(memory.bytes_kept(), 300u);
    EXPECT_EQ(memory.bytes_in_use(), 0u);
    EXPECT_EQ(memory.take(99), nullptr);
    const auto again = memory.take(100);
    EXPECT_EQ(again.get(), at);
    EXPECT_EQ(memory.bytes_kept(), 200u);
    EXPECT_EQ(memory.take(100), nullptr);
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 2);
}

TEST(KeptMemory, KeepsNoMoreThanItsLimit) {
  int freed = 0;
  KeptMemory memory(250);
  std::vector<KeptMemory::Block> blocks;
  for (std::size_t k = 0; k < 4; ++k) blocks.push_back(memory.lend(block_of(100 + k, freed), 100 + k));
  blocks.clear();
  // Those that were freed first are gone.
  EXPECT_EQ(freed, 2);
  EXPECT_EQ(memory.bytes_kept(), 102u + 103u);
  EXPECT_EQ(memory.take(100), nullptr);
  EXPECT_NE(memory.take(103), nullptr);
  // A block beyond the limit takes no other's place.
  memory.lend(block_of(251, freed), 251) = nullptr;
  EXPECT_EQ(memory.bytes_kept(), 102u);
  // Half of what is in use may be kept.
  auto used = memory.lend(block_of(1000, freed), 1000);
  memory.lend(block_of(390, freed), 390) = nullptr;
  EXPECT_EQ(memory.bytes_kept(), 492u);
  used = nullptr;  // which is beyond the limit itself, as the others are now
  EXPECT_EQ(memory.bytes_in_use(), 0u);
  EXPECT_LE(memory.bytes_kept(), 250u);
  memory.release();
  EXPECT_EQ(memory.bytes_kept(), 0u);
}

TEST(KeptMemory, TakesNoMoreThanItsUsersHadAtATime) {
  int freed = 0;
  KeptMemory memory(10);
  auto fields = memory.lend(block_of(1000, freed), 1000);
  memory.lend(block_of(300, freed), 300) = nullptr;
  memory.lend(block_of(200, freed), 200) = nullptr;
  EXPECT_EQ(memory.bytes_kept(), 500u);
  // 1300 bytes were in use at a time: with 290 more than the fields, 10 and the spare ones may be kept.
  memory.make_room(290);
  EXPECT_EQ(memory.bytes_kept(), 0u);
  EXPECT_EQ(freed, 2);
  memory.lend(block_of(200, freed), 200) = nullptr;
  memory.make_room(110);
  EXPECT_EQ(memory.bytes_kept(), 200u);
  memory.make_room(111);
  EXPECT_EQ(memory.bytes_kept(), 0u);
}

TEST(KeptMemory, KnowsTheInstanceThatAloneUsedABlock) {
  const Exec mine = Kokkos::Experimental::partition_space(Exec(), 1)[0];
  int freed = 0;
  KeptMemory memory(1000);
  const auto lend = [&](const KeptMemory::User& user) { return memory.lend(block_of(100, freed), 100, user).get(); };
  std::byte* const of_any = lend({});
  std::byte* const of_mine = lend(mine);
  std::byte* const of_other = lend(Exec());
  EXPECT_EQ(memory.take(99, mine), nullptr);
  EXPECT_EQ(memory.take(100, mine).get(), of_mine);
  EXPECT_EQ(memory.take(100, mine), nullptr);
  EXPECT_EQ(memory.take(100, {}).get(), of_any);
  EXPECT_EQ(memory.take(100, {}), nullptr);
  EXPECT_EQ(memory.take(100).get(), of_other) << "for anybody who waits for all kernels";
  EXPECT_EQ(memory.bytes_kept(), 0u);
  EXPECT_EQ(freed, 3);
}

TEST(KeptMemory, IsForManyThreads) {
  int freed = 0;
  KeptMemory memory(std::size_t(1) << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&memory, t] {
      static int unused[4];
      for (int k = 0; k < 1000; ++k) {
        const std::size_t bytes = 64u << (k % 3);
        auto block = memory.take(bytes);
        if (!block) block = block_of(bytes, unused[t]);
        const auto lent = memory.lend(std::move(block), bytes);
        lent.get()[0] = std::byte(t);
        lent.get()[bytes - 1] = std::byte(t);
        EXPECT_EQ(lent.get()[0], std::byte(t));
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(memory.bytes_in_use(), 0u);
  EXPECT_LE(memory.bytes_kept(), 4u * (64 + 128 + 256));
  EXPECT_EQ(freed, 0);
}

}  // namespace
}  // namespace kov::detail
