// SPDX-License-Identifier: MIT
//
// A cache of freed blocks of memory for fields: allocating from a driver or a system, and placing pages, takes longer
// than many kernels.
#pragma once

#include "kov/core/base/queue.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

namespace kov::detail {

/// Freed blocks of memory, reused for requests of the same size.  At most `spare` bytes are kept, or half of those
/// in use if these are more; and blocks in use and kept together have at most `spare` bytes more than have been in use
/// at a time.  The block that was freed first goes first.
class KeptMemory {
 public:
  using Block = std::shared_ptr<std::byte>;
  /// The instance whose kernels alone use a block; none where those of any may do.
  using User = std::optional<Exec>;

  explicit KeptMemory(std::size_t spare) : spare_(spare) {}
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  /// A block of this size that was kept, with whatever is in it, or none.  Kernels that were launched before it was
  /// freed may still use it.
  Block take(std::size_t bytes);
  /// A block that was lent to the same user before, or none.
  Block take(std::size_t bytes, const User& user);
  /// Frees what must go before another block of this size is made.
  void make_room(std::size_t bytes);
  /// The same block, which comes here when its last handle is gone instead of being freed.  This must outlive it.
  Block lend(Block block, std::size_t bytes, const User& user = {});
  /// Frees all that is kept; returns how many bytes.
  std::size_t release();

  std::size_t bytes_kept() const;
  std::size_t bytes_in_use() const;

 private:
  struct Kept {
    Block block;
    std::size_t bytes;
    User user;
  };
  Block take(std::list<Kept>::reverse_iterator found);
  void keep(Block block, std::size_t bytes, const User& user) noexcept;
  /// Takes blocks out until at most this many bytes are kept.
  std::list<Kept> reduce(std::size_t most) noexcept;

  mutable std::mutex mutex_;
  std::size_t spare_, kept_bytes_ = 0, used_bytes_ = 0, most_used_ = 0;
  std::list<Kept> kept_;  // the block that was freed last is last
};

/// That of this process' fields, which Kokkos' end releases.  Never destroyed, as the last buffers may be.
KeptMemory& kept_memory();

}  // namespace kov::detail
