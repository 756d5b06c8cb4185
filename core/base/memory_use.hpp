// SPDX-License-Identifier: MIT
//
// How much memory the buffers of this process hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace kov {

namespace detail {

/// The bytes of all buffers, and the most at a time.
class BufferBytes {
 public:
  /// Never destroyed, as the last buffers may be.
  static BufferBytes& instance() {
    static BufferBytes& bytes = *new BufferBytes;
    return bytes;
  }
  void add(std::size_t n) {
    const std::lock_guard lock(mutex_);
    now_ += n;
    most_ = std::max(most_, now_);
  }
  void subtract(std::size_t n) {
    const std::lock_guard lock(mutex_);
    now_ -= n;
  }
  /// The bytes now, from which the most is counted anew.
  std::size_t begin() {
    const std::lock_guard lock(mutex_);
    most_ = now_;
    return now_;
  }
  std::size_t most() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  std::mutex mutex_;
  std::size_t now_ = 0, most_ = 0;
};

/// The same block, counted as long as it lives.
inline std::shared_ptr<std::byte> counted(std::shared_ptr<std::byte> block, std::size_t bytes) {
  BufferBytes::instance().add(bytes);
  std::byte* const p = block.get();
  return {p, [block = std::move(block), bytes](std::byte*) mutable {
            block.reset();
            BufferBytes::instance().subtract(bytes);
          }};
}

}  // namespace detail

/// The most bytes that fields and other buffers held at a time while f ran, beyond those that they held before.
inline std::size_t most_bytes_of(const std::function<void()>& f) {
  const std::size_t before = detail::BufferBytes::instance().begin();
  f();
  return detail::BufferBytes::instance().most() - before;
}

}  // namespace kov
