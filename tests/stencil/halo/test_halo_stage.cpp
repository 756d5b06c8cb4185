// SPDX-License-Identifier: MIT
//
// What MPI is handed of a message: the memory where kernels run, which the host then leaves alone, or a copy of it.
#include "kov/stencil/halo/face_exchange.hpp"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <vector>

namespace kov {
namespace {

/// Memory that ends the process when a host reads or writes it, as a GPU's does.
class OutOfReach {
 public:
  explicit OutOfReach(std::size_t bytes)
      : bytes_(bytes), memory_(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~OutOfReach() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }
  OutOfReach(const OutOfReach&) = delete;
  OutOfReach& operator=(const OutOfReach&) = delete;
  void* data() const { return memory_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

std::vector<std::byte> some_bytes(std::size_t n, int seed) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = std::byte(7 * i + 13 * std::size_t(seed));
  return bytes;
}

TEST(HaloStage, HandsOverMemoryThatMpiTakesAndDoesNotTouchIt) {
  const OutOfReach memory(1 << 16);
  ASSERT_NE(memory.data(), MAP_FAILED);
  detail::HaloStage stage;
  const auto message = stage.of(memory.data(), 1 << 16, true);
  EXPECT_EQ(message.data(), memory.data());
  EXPECT_EQ(message.size(), std::size_t(1) << 16);
  stage.from_device(message);
  stage.to_device(message);
}

TEST(HaloStage, CopiesOtherMemoryThereAndBack) {
  const std::vector<std::byte> first = some_bytes(1000, 1), second = some_bytes(1000, 2);
  const Buffer<std::byte> memory("memory", first);
  detail::HaloStage stage;
  for (const std::size_t n : {std::size_t(1000), std::size_t(10), std::size_t(1000)}) {
    const auto message = stage.of(memory.data(), n, false);
    ASSERT_EQ(message.size(), n);
    EXPECT_NE(message.data(), memory.data());
    memory.copy_from(first);
    stage.from_device(message);
    EXPECT_TRUE(std::equal(message.begin(), message.end(), first.begin()));
    std::copy_n(second.begin(), n, message.begin());
    EXPECT_EQ(memory.to_host(), first) << "before it was to";
    stage.to_device(message);
    std::vector<std::byte> expected = first;
    std::copy_n(second.begin(), n, expected.begin());
    EXPECT_EQ(memory.to_host(), expected);
  }
}

TEST(HaloStage, ReadsAndDamagesEither) {
  for (const bool direct : {true, false}) {
    const std::vector<std::byte> bytes = some_bytes(1000, 3);
    const Buffer<std::byte> memory("memory", bytes);
    detail::HaloStage stage;
    const auto message = stage.of(memory.data(), bytes.size(), direct);
    stage.from_device(message);
    const auto before = stage.readable(message);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), bytes.begin(), bytes.end()));
    stage.flip_a_bit(message);
    const auto after = stage.readable(message);
    int flipped = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) flipped += std::popcount(unsigned(after[i] ^ bytes[i]));
    EXPECT_EQ(flipped, 1);
  }
}

}  // namespace
}  // namespace kov
