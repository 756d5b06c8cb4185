// SPDX-License-Identifier: MIT
//
// How much memory the buffers of this process hold, and giving back what is kept for the next ones.
#pragma once

#include "kov/core/base/kept_memory.hpp"

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
  struct Count {
    std::size_t now, most;
  };
  /// Counts the most from the bytes that are held now; returns those, and the most before.
  Count begin() {
    const std::lock_guard lock(mutex_);
    return {now_, std::exchange(most_, now_)};
  }
  /// Goes on with the count that begin() interrupted, whose most was this.
  void resume(std::size_t most) {
    const std::lock_guard lock(mutex_);
    most_ = std::max(most_, most);
  }
  std::size_t most() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  std::mutex mutex_;
  std::size_t now_ = 0, most_ = 0;
};

/// A count of the most bytes while it lives, within that of another around it.
class MostBytes {
 public:
  MostBytes() : before_(BufferBytes::instance().begin()) {}
  ~MostBytes() { BufferBytes::instance().resume(before_.most); }
  MostBytes(const MostBytes&) = delete;
  MostBytes& operator=(const MostBytes&) = delete;
  std::size_t beyond_before() const { return BufferBytes::instance().most() - before_.now; }

 private:
  BufferBytes::Count before_;
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
/// Calls may be nested; other threads must neither call it nor make buffers meanwhile.
inline std::size_t most_bytes_of(const std::function<void()>& f) {
  const detail::MostBytes most;
  f();
  return most.beyond_before();
}

/// Memory of fields and other buffers that are gone is kept for the next ones, at most 64 MiB or half of what is in
/// use.  This gives it back, say before another library needs a device's memory; returns how many bytes.  A GPU may
/// wait for its kernels.  Fields made later ask the system again.
inline std::size_t release_kept_memory() { return detail::kept_memory().release(); }

}  // namespace kov
