// SPDX-License-Identifier: MIT
#include "kov/core/base/error.hpp"
#include "kov/core/base/memory.hpp"
#include "kov/core/base/memory_use.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>

namespace kov {
namespace {

// Below and above the sizes from which huge pages are asked for and memory comes from the system, and not a multiple of
// either alignment.
const std::vector<std::size_t> sizes{1, 17, (std::size_t(2) << 20) / 8, (std::size_t(5) << 20) / 8 + 3,
                                     (std::size_t(64) << 20) / 8 + 5};

TEST(Buffers, AreZeroAndAligned) {
  for (const std::size_t n : sizes) {
    {  // leaves memory that is not zero for the allocator to hand out again
      const Buffer<double> dirty("dirty", n);
      dirty.copy_from(std::vector<double>(n, 7.0));
    }
    const Buffer<double> fresh("fresh", n);
    EXPECT_EQ(fresh.size(), n);
    EXPECT_EQ(fresh.to_host(), std::vector<double>(n, 0.0));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(fresh.data()) % 128, 0u);
  }
}

TEST(Buffers, CopiesAreHandlesToTheSameMemory) {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), -7);
  const Buffer<int> original("numbers", numbers);
  const Buffer<int> handle = original;
  EXPECT_EQ(handle.data(), original.data());
  EXPECT_EQ(handle.to_host(), numbers);
  numbers[3] = 5;
  handle.copy_from(numbers);
  std::vector<int> read(numbers.size());
  original.copy_to(read);
  EXPECT_EQ(read, numbers);
}

TEST(Buffers, OfAnInstanceHoldTheSame) {
  const Exec exec = Kokkos::Experimental::partition_space(Exec(), 1)[0];
  for (const std::size_t n : sizes) {
    std::vector<double> numbers(n), read(n);
    std::iota(numbers.begin(), numbers.end(), 0.5);
    {
      const Buffer<double> buffer("numbers", numbers, exec);
      EXPECT_TRUE(buffer.to_host(exec) == numbers);
      buffer.copy_to(read, exec);
      EXPECT_TRUE(read == numbers);
      EXPECT_THROW(buffer.copy_to(std::span(read).first(n - 1), exec), InputError);
    }
    const Buffer<double> zeros("in memory that was used", n, exec);
    EXPECT_TRUE(zeros.to_host(exec) == std::vector<double>(n, 0.0));
  }
}

TEST(Buffers, OfManyPiecesComeBackWhole) {
  // GPUs: five pieces of a staged copy, the last not full, and a copy just below the size that is staged.
  for (const std::size_t n : {std::size_t(36) << 17, (std::size_t(32) << 17) - 1}) {
    std::vector<double> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0.5);
    const Buffer<double> buffer("numbers", numbers);
    EXPECT_TRUE(buffer.to_host() == numbers);
  }
}

// Whatever is kept for later, what counts is what buffers hold.
TEST(Buffers, AreCountedAsLongAsTheyLive) {
  const Buffer<double> before("before", 1000);
  for (const std::size_t n : sizes) {
    const std::size_t most = most_bytes_of([&] {
      { const Buffer<double> first("first", n); }
      const Buffer<double> second("second", n), third("third", n), handle = third;
    });
    EXPECT_EQ(most, 2 * n * sizeof(double));
  }
  EXPECT_EQ(most_bytes_of([] {}), 0u);
}

TEST(Buffers, AreCountedWithinAnotherCountAsWell) {
  constexpr std::size_t n = 1000, bytes = n * sizeof(double);
  const auto inner = [&] {
    EXPECT_EQ(most_bytes_of([] { const Buffer<double> one("one", n); }), bytes);
    const auto fails = [] {
      const Buffer<double> one("one", n), two("two", n);
      throw InputError("on purpose");
    };
    EXPECT_THROW(most_bytes_of(fails), InputError);
  };
  const std::size_t first_most = most_bytes_of([&] {
    { const Buffer<double> large("large", 5 * n); }
    inner();
  });
  EXPECT_EQ(first_most, 5 * bytes);
  const std::size_t inner_most = most_bytes_of([&] {
    const Buffer<double> kept("kept", 4 * n);
    inner();
  });
  EXPECT_EQ(inner_most, 6 * bytes);
}

TEST(Buffers, WithoutElementsHaveNoMemory) {
  const Buffer<double> none, empty("empty", 0);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(empty.data(), nullptr);
  EXPECT_TRUE(empty.to_host().empty());
}

TEST(Buffers, OfImpossibleSizeAreRefusedByName) {
  // More bytes than any machine has, and more than 64 bits can count.
  for (const std::size_t n : {std::size_t(1) << 55, std::size_t(1) << 60, std::size_t(1) << 61, ~std::size_t(0)}) {
    try {
      const Buffer<double> buffer("the moon", n);
      ADD_FAILURE() << n << " numbers were granted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("no memory for the moon"), std::string::npos) << error.what();
    }
  }
}

TEST(Buffers, WhatIsKeptOfThemCanBeGivenBack) {
  release_kept_memory();
  const std::size_t n = 1 << 18;
  const Buffer<double> in_use("in use", n);
  { const Buffer<double> gone("gone", n); }
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_EQ(release_kept_memory(), n * sizeof(double));
#endif
  EXPECT_EQ(release_kept_memory(), 0u);
  EXPECT_EQ(in_use.to_host(), std::vector<double>(n, 0.0));
  EXPECT_EQ(Buffer<double>("fresh", n).to_host(), std::vector<double>(n, 0.0));
}

TEST(Buffers, CopiesOfAnotherLengthAreRefused) {
  const Buffer<float> buffer("three", 3);
  std::vector<float> four(4);
  EXPECT_THROW(buffer.copy_from(four), InputError);
  EXPECT_THROW(buffer.copy_to(four), InputError);
}

}  // namespace
}  // namespace kov
