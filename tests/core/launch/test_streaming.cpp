// SPDX-License-Identifier: MIT
//
// The share of a cache that a process may fill, from what Linux says of it.
#include "kov/core/launch/streaming.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace test {

TEST(Streaming, FillsACacheWithAllOfItsProcessors) {
  EXPECT_EQ(detail::cache_share("32768K", "0-1", 2), 32u << 20);
  EXPECT_EQ(detail::cache_share("32768K", "0-1", 8), 32u << 20);
  EXPECT_EQ(detail::cache_share("8K", "3", 1), 8192u);
}

TEST(Streaming, SharesACacheWithTheProcessorsOfOthers) {
  EXPECT_EQ(detail::cache_share("32768K", "0-7,64-71", 4), 8u << 20);
  EXPECT_EQ(detail::cache_share("300K", "0,2,4", 1), 100u << 10);
}

TEST(Streaming, KnowsNoCacheThatItCannotRead) {
  for (const char* size : {"", "K", "32M", "32768", "-4K"}) EXPECT_EQ(detail::cache_share(size, "0-1", 2), 0u) << size;
  for (const char* list : {"", "a", "0-", "3-1", "0-1,", "0-1;2"})
    EXPECT_EQ(detail::cache_share("32768K", list, 2), 0u) << list;
}

TEST(Streaming, PrefetchesWhatExceedsTheCachesOnly) {
  constexpr std::size_t large = std::size_t(256) << 20;
  EXPECT_FALSE(detail::exceeds_caches(large, large));
  EXPECT_TRUE(detail::exceeds_caches(large + 1, large));
  EXPECT_TRUE(detail::exceeds_caches(large, 0));
  // A small third cache does not end what is in the others.
  EXPECT_FALSE(detail::exceeds_caches(std::size_t(1) << 20, 1024));
  EXPECT_FALSE(exceeds_third_cache(0));
}

}  // namespace test
}  // namespace kov
