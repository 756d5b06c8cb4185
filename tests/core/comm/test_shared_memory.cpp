// SPDX-License-Identifier: MIT
//
// Memory that several processes of a host see.
#include "kov/core/comm/comm.hpp"
#include "kov/core/comm/shared_memory.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

namespace kov {
namespace {

constexpr std::size_t bytes = 10000;

TEST(SharedMemory, IsZeroAndSharedWithWhoeverOpensIt) {
  SharedMemory made = SharedMemory::make(bytes);
  if (!made) GTEST_SKIP() << "NOT TESTED: this system has no memory files";
  EXPECT_TRUE(std::all_of(made.data(), made.data() + bytes, [](std::byte b) { return b == std::byte{}; }));
  const SharedMemory opened = SharedMemory::open(made.address());
  ASSERT_TRUE(opened);
  ASSERT_NE(opened.data(), made.data());
  made.data()[bytes - 1] = std::byte{7};
  EXPECT_EQ(opened.data()[bytes - 1], std::byte{7});
  opened.data()[0] = std::byte{9};
  EXPECT_EQ(made.data()[0], std::byte{9});
  made.close();
  EXPECT_FALSE(SharedMemory::open(made.address()));
  EXPECT_EQ(made.data()[0], std::byte{9});  // mappings survive the removal of the name
  made = SharedMemory();
  EXPECT_EQ(opened.data()[bytes - 1], std::byte{7});
}

TEST(SharedMemory, IsOpenedByItsExactAddressOnly) {
  const SharedMemory made = SharedMemory::make(bytes);
  if (!made) GTEST_SKIP() << "NOT TESTED: this system has no memory files";
  const auto opens = [&](auto change) {
    SharedMemory::Address address = made.address();
    change(address);
    return bool(SharedMemory::open(address));
  };
  EXPECT_TRUE(opens([](auto&) {}));
  EXPECT_FALSE(opens([](auto& a) { ++a.host; }));
  EXPECT_FALSE(opens([](auto& a) { ++a.token; }));
  EXPECT_FALSE(opens([](auto& a) { --a.bytes; }));
  EXPECT_FALSE(opens([](auto& a) { a.file = 0; }));
  EXPECT_FALSE(opens([](auto& a) { a.file = 1 << 20; }));
  EXPECT_FALSE(opens([](auto& a) { a.process = 1 << 30; }));
  EXPECT_FALSE(SharedMemory::open({}));
  EXPECT_FALSE(SharedMemory());
}

TEST(SharedMemory, CannotBeLargerThanTheMachineHas) { EXPECT_FALSE(SharedMemory::make(std::size_t(1) << 60)); }

TEST(SharedMemory, ConnectsRanks) {
  const Comm comm = Comm::world();
  SharedMemory mine = SharedMemory::make(bytes);
  const auto address = mine.address();
  const auto all = comm.all_gather(std::as_bytes(std::span(&address, 1)));
  SharedMemory::Address of_next;
  std::memcpy(&of_next, all[std::size_t((comm.rank() + 1) % comm.size())].data(), sizeof of_next);
  const SharedMemory next = SharedMemory::open(of_next);
  if (next) std::memset(next.data(), comm.rank() + 1, bytes);
  comm.barrier();
  if (mine) {
    EXPECT_TRUE(next);
    const int before = (comm.rank() + comm.size() - 1) % comm.size();
    EXPECT_TRUE(std::all_of(mine.data(), mine.data() + bytes, [&](std::byte b) { return int(b) == before + 1; }));
  }
  comm.barrier();
}

}  // namespace
}  // namespace kov
