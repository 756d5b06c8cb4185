// SPDX-License-Identifier: MIT
#include "kov/core/base/kept_memory.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace kov::detail {

KeptMemory::Block KeptMemory::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  // The last one first: it is most likely in the caches.
  return take(std::find_if(kept_.rbegin(), kept_.rend(), [&](const Kept& k) { return k.bytes == bytes; }));
}

KeptMemory::Block KeptMemory::take(std::size_t bytes, const User& user) {
  const std::lock_guard lock(mutex_);
  return take(
      std::find_if(kept_.rbegin(), kept_.rend(), [&](const Kept& k) { return k.bytes == bytes && k.user == user; }));
}

KeptMemory::Block KeptMemory::take(std::list<Kept>::reverse_iterator found) {
  if (found == kept_.rend()) return nullptr;
  Block block = std::move(found->block);
  kept_bytes_ -= found->bytes;
  kept_.erase(std::next(found).base());
  return block;
}

void KeptMemory::make_room(std::size_t bytes) {
  std::list<Kept> gone;  // freed when others may ask again
  const std::lock_guard lock(mutex_);
  const std::size_t used = used_bytes_ + bytes;
  gone = reduce(std::max(most_used_, used) - used + spare_);
}

KeptMemory::Block KeptMemory::lend(Block block, std::size_t bytes, const User& user) {
  {
    const std::lock_guard lock(mutex_);
    used_bytes_ += bytes;
    most_used_ = std::max(most_used_, used_bytes_);
  }
  std::byte* const p = block.get();
  return {p,
          [this, block = std::move(block), bytes, user](std::byte*) mutable { keep(std::move(block), bytes, user); }};
}

void KeptMemory::keep(Block block, std::size_t bytes, const User& user) noexcept {
  std::list<Kept> gone;
  const std::lock_guard lock(mutex_);
  used_bytes_ -= bytes;
  const std::size_t most = std::max(spare_, used_bytes_ / 2);
  if (bytes <= most) try {
      kept_.push_back({std::move(block), bytes, user});
      kept_bytes_ += bytes;
    } catch (const std::bad_alloc&) {
      // The block is freed.
    }
  gone = reduce(most);
}

std::list<KeptMemory::Kept> KeptMemory::reduce(std::size_t most) noexcept {
  std::list<Kept> gone;
  while (kept_bytes_ > most) {
    kept_bytes_ -= kept_.front().bytes;
    gone.splice(gone.end(), kept_, kept_.begin());
  }
  return gone;
}

std::size_t KeptMemory::release() {
  std::list<Kept> gone;
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = kept_bytes_;
  gone = reduce(0);
  return bytes;
}

std::size_t KeptMemory::bytes_kept() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

std::size_t KeptMemory::bytes_in_use() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

KeptMemory& kept_memory() {
  static KeptMemory& kept = []() -> KeptMemory& {
    auto& memory = *new KeptMemory(std::size_t(64) << 20);
    Kokkos::push_finalize_hook([&memory] { memory.release(); });
    return memory;
  }();
  return kept;
}

}  // namespace kov::detail
