// SPDX-License-Identifier: MIT
#include "kov/core/base/memory.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/base/host_threads.hpp"
#include "kov/core/base/kept_memory.hpp"
#include "kov/core/base/memory_use.hpp"
#include "kov/core/base/queue.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__SSE2__) && !defined(KOKKOS_ENABLE_CUDA)
#include <emmintrin.h>
#endif

namespace kov::detail {

using HostExec = Kokkos::DefaultHostExecutionSpace;
using DeviceView = Kokkos::View<std::byte*, Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using HostView = Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

namespace {

[[noreturn]] void refuse(const std::string& name, std::size_t bytes) {
  throw InputError(
      sentence("no memory for", name, "of", bytes >> 20, "MiB: use more ranks, a smaller lattice or fewer fields"));
}

/// A limit that no machine reaches: rounding up must not overflow.
constexpr std::size_t most_bytes = std::size_t(PTRDIFF_MAX) / 2;
constexpr std::size_t huge = std::size_t(2) << 20;

#if defined(__linux__)
/// Large blocks come straight from the system, which zeroes each page when it is first touched: touching the pages is
/// enough and saves a sweep.
constexpr std::size_t large = std::size_t(64) << 20;

/// Memory whose pages have not been touched yet.
std::shared_ptr<std::byte> map_pages(const std::string& name, std::size_t bytes) {
  const std::size_t rounded = (bytes + huge - 1) / huge * huge;
  void* const p = ::mmap(nullptr, rounded + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) refuse(name, bytes);
  std::byte* const start = static_cast<std::byte*>(p);
  std::byte* const aligned = start + (huge - reinterpret_cast<std::uintptr_t>(p) % huge) % huge;
  madvise(aligned, rounded, MADV_HUGEPAGE);
  return {aligned, [start, length = rounded + huge](std::byte*) { ::munmap(start, length); }};
}
#endif

/// Uninitialised host memory.
std::shared_ptr<std::byte> allocate_plain(const std::string& name, std::size_t bytes) {
  const std::size_t alignment = bytes >= huge ? huge : 128;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const p = std::aligned_alloc(alignment, rounded);
  if (!p) refuse(name, bytes);
#if defined(__linux__)
  if (bytes >= huge) madvise(p, rounded, MADV_HUGEPAGE);
#endif
  return {static_cast<std::byte*>(p), [](std::byte* q) { std::free(q); }};
}

/// Calls work(begin, end) for pieces of n bytes, with the threads that will use them, in the order of the kernels.
template <class Work>
void for_pieces(std::size_t bytes, const Work& work) {
  constexpr std::size_t piece = 1 << 16;
  Kokkos::parallel_for("first_touch",
                       Kokkos::RangePolicy<HostExec, Kokkos::IndexType<std::size_t>>(0, (bytes + piece - 1) / piece),
                       [=](std::size_t i) { work(i * piece, std::min((i + 1) * piece, bytes)); });
  HostExec().fence();
}

/// Zeroes [begin, end), with stores that bypass the caches if `streaming`.  begin is aligned to a cache line.
void set_zero_on_host(std::byte* begin, std::byte* end, [[maybe_unused]] bool streaming) {
#if defined(__SSE2__) && !defined(KOKKOS_ENABLE_CUDA)
  constexpr std::size_t word = sizeof(__m128i);
  if (streaming)
    for (; begin + word <= end; begin += word) _mm_stream_si128(reinterpret_cast<__m128i*>(begin), _mm_setzero_si128());
#endif
  std::fill(begin, end, std::byte{0});
}

/// On a host every piece is written by the thread that will use it, so that its pages are placed near that thread.
/// Ordered on the user, if there is one; else after and before everything else.
void set_zero(std::byte* p, std::size_t bytes, const KeptMemory::User& user = {}) {
  if constexpr (unified_memory)
    for_pieces(bytes, [=](std::size_t begin, std::size_t end) {
      set_zero_on_host(p + begin, p + end, bytes > most_bytes_in_cache);
    });
  else if (user)
    Kokkos::deep_copy(*user, DeviceView(p, bytes), std::byte{0});
  else
    Kokkos::deep_copy(DeviceView(p, bytes), std::byte{0});
}

std::shared_ptr<std::byte> allocate_zeroed_on_host(const std::string& name, std::size_t bytes) {
#if defined(__linux__)
  if (bytes >= large) {
    auto memory = map_pages(name, bytes);
    for_pieces(bytes, [p = memory.get()](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; k += 4096) p[k] = std::byte{0};
    });
    return memory;
  }
#endif
  auto memory = allocate_plain(name, bytes);
  set_zero(memory.get(), bytes);
  return memory;
}

/// Plain device memory.
std::shared_ptr<std::byte> allocate_on_device(const std::string& name, std::size_t bytes,
                                              const KeptMemory::User& user) {
  void* p = nullptr;
  try {
    p = Kokkos::kokkos_malloc<Exec::memory_space>(name, bytes);
  } catch (const std::exception&) {
    refuse(name, bytes);
  }
  std::shared_ptr<std::byte> memory(static_cast<std::byte*>(p), [](std::byte* q) {
    if (Kokkos::is_initialized()) Kokkos::kokkos_free<Exec::memory_space>(q);
  });
  set_zero(memory.get(), bytes, user);
  return memory;
}

std::shared_ptr<std::byte> allocate_zeroed(const std::string& name, std::size_t bytes, const KeptMemory::User& user) {
  if constexpr (unified_memory)
    return allocate_zeroed_on_host(name, bytes);
  else
    return allocate_on_device(name, bytes, user);
}

/// Tools that look for errors in the use of memory see more of them when no memory is used twice.
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_memory = true;
#else
constexpr bool keeps_memory = false;
#endif

/// Blocks from this size on are kept; for smaller ones a host's allocator is as fast.
constexpr std::size_t smallest_kept = unified_memory ? std::size_t(1) << 16 : 1;

std::shared_ptr<std::byte> allocate_kept(const std::string& name, std::size_t bytes, const KeptMemory::User& user) {
  if (!keeps_memory || bytes < smallest_kept) return allocate_zeroed(name, bytes, user);
  constexpr std::size_t page = 4096;
  bytes = (bytes + page - 1) / page * page;
  KeptMemory& kept = kept_memory();
  if (auto block = kept.take(bytes, user)) {
    set_zero(block.get(), bytes, user);
    return kept.lend(std::move(block), bytes, user);
  }
  if (auto block = kept.take(bytes)) {
    set_zero(block.get(), bytes);  // after all kernels, as those of others may still use it
    return kept.lend(std::move(block), bytes, user);
  }
  kept.make_room(bytes);
  std::shared_ptr<std::byte> block;
  try {
    block = allocate_zeroed(name, bytes, user);
  } catch (const InputError&) {
    kept.release();
    block = allocate_zeroed(name, bytes, user);
  }
  return kept.lend(std::move(block), bytes, user);
}

std::shared_ptr<std::byte> allocate_for(const std::string& name, std::size_t bytes, const KeptMemory::User& user) {
  if (bytes == 0) return nullptr;
  if (bytes > most_bytes) refuse(name, bytes);
  return counted(allocate_kept(name, bytes, user), bytes);
}

}  // namespace

std::shared_ptr<std::byte> allocate(const std::string& name, std::size_t bytes) {
  return allocate_for(name, bytes, std::nullopt);
}

std::shared_ptr<std::byte> allocate(const std::string& name, std::size_t bytes, const Exec& exec) {
  return allocate_for(name, bytes, kernels_are_asynchronous ? KeptMemory::User(exec) : std::nullopt);
}

std::shared_ptr<std::byte> allocate_on_host(const std::string& name, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes > most_bytes) refuse(name, bytes);
#if defined(__linux__)
  if (bytes >= large) return map_pages(name, bytes);
#endif
  return allocate_plain(name, bytes);
}

Shared::Shared(std::shared_ptr<void> object) : object_(std::move(object)) {}
Shared::Shared(void* object, void (*destroy)(void*)) : object_(object, destroy) {}
Shared::Shared(const Shared& other) noexcept = default;
Shared::Shared(Shared&& other) noexcept = default;
Shared& Shared::operator=(const Shared& other) noexcept = default;
Shared& Shared::operator=(Shared&& other) noexcept = default;
Shared::~Shared() = default;

namespace {

/// Copies between pageable host memory and the device, through two pinned buffers: while one is being transferred, the
/// host's threads fill or empty the other.
class StagedCopy {
 public:
  StagedCopy() : queues_(Kokkos::Experimental::partition_space(Exec(), 1, 1)) {
    for (auto& piece : pieces_) piece = Piece(Kokkos::view_alloc("piece of a copy", Kokkos::WithoutInitializing), size);
  }

  void to_device(std::byte* device, std::byte* host, std::size_t bytes) {
    for (std::size_t k = 0, at = 0; at < bytes; at += size, ++k) {
      const std::size_t n = std::min(size, bytes - at), turn = k % 2;
      queues_[turn].fence("copy_to_device");
      copy_on_host(pieces_[turn].data(), host + at, n);
      Kokkos::deep_copy(queues_[turn], DeviceView(device + at, n), part(turn, n));
    }
    for (const Exec& queue : queues_) queue.fence("copy_to_device");
  }

  void to_host(std::byte* host, std::byte* device, std::size_t bytes) {
    const auto ask = [&](std::size_t k) {
      const std::size_t at = k * size;
      if (at >= bytes) return;
      const std::size_t n = std::min(size, bytes - at);
      Kokkos::deep_copy(queues_[k % 2], part(k % 2, n), DeviceView(device + at, n));
    };
    ask(0);
    for (std::size_t k = 0; k * size < bytes; ++k) {
      ask(k + 1);
      queues_[k % 2].fence("copy_to_host");
      copy_on_host(host + k * size, pieces_[k % 2].data(), std::min(size, bytes - k * size));
    }
  }

  /// Bytes from which on it is faster than a plain copy.
  static constexpr std::size_t smallest = std::size_t(32) << 20;

 private:
  using Piece = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>;
  static constexpr std::size_t size = std::size_t(8) << 20;

  Piece part(std::size_t k, std::size_t n) const { return Kokkos::subview(pieces_[k], std::pair(std::size_t(0), n)); }
  static void copy_on_host(std::byte* to, const std::byte* from, std::size_t bytes) {
    constexpr std::size_t share = std::size_t(256) << 10;
    on_host_threads("copy_on_host", std::int64_t((bytes + share - 1) / share), [&](std::int64_t i, int) {
      const std::size_t at = std::size_t(i) * share;
      std::memcpy(to + at, from + at, std::min(share, bytes - at));
    });
  }

  std::array<Exec, 2> queues_;
  std::array<Piece, 2> pieces_;
};

}  // namespace

void copy_to_host_after(const Exec& exec, void* host, const void* device, std::size_t bytes) {
  exec.fence("copy_to_host");
  if (!bytes) return;
  std::byte *const to = static_cast<std::byte*>(host), *const from = static_cast<std::byte*>(const_cast<void*>(device));
  if (!unified_memory && bytes >= StagedCopy::smallest) return StagedCopy().to_host(to, from, bytes);
  Kokkos::deep_copy(exec, HostView(to, bytes), DeviceView(from, bytes));
  exec.fence("copy_to_host");
}

void copy_to_device_after(const Exec& exec, void* device, const void* host, std::size_t bytes) {
  exec.fence("copy_to_device");
  if (!bytes) return;
  std::byte *const to = static_cast<std::byte*>(device), *const from = static_cast<std::byte*>(const_cast<void*>(host));
  if (!unified_memory && bytes >= StagedCopy::smallest) return StagedCopy().to_device(to, from, bytes);
  Kokkos::deep_copy(exec, DeviceView(to, bytes), HostView(from, bytes));
  exec.fence("copy_to_device");
}

void copy_to_host(void* host, const void* device, std::size_t bytes) {
  Kokkos::fence("copy_to_host");
  copy_to_host_after(Exec(), host, device, bytes);
}

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  Kokkos::fence("copy_to_device");
  copy_to_device_after(Exec(), device, host, bytes);
}

void copy_on_device(void* to, const void* from, std::size_t bytes) {
  if (!bytes) return;
  Kokkos::deep_copy(Exec(), DeviceView(static_cast<std::byte*>(to), bytes),
                    DeviceView(static_cast<std::byte*>(const_cast<void*>(from)), bytes));
}

}  // namespace kov::detail
