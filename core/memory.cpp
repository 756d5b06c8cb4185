// SPDX-License-Identifier: MIT
#include "kov/core/memory.hpp"

#include "kov/core/error.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace kov::detail {

using Exec = Kokkos::DefaultExecutionSpace;
using DeviceView = Kokkos::View<std::byte*, Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using HostView = Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

std::shared_ptr<std::byte> allocate(const std::string& name, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const auto fail = [&] {
    throw InputError(
        sentence("no memory for", name, "of", bytes >> 20, "MiB: use more ranks, a smaller lattice or fewer fields"));
  };
  if (bytes > std::size_t(PTRDIFF_MAX) / 2) fail();  // no machine has it, and rounding up must not overflow
  std::shared_ptr<std::byte> memory;
  if constexpr (unified_memory) {
    constexpr std::size_t huge = std::size_t(2) << 20;
    const std::size_t alignment = bytes >= huge ? huge : 128;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    // Zeroing by the threads in the order in which kernels will run places the pages near them.
    constexpr std::size_t page = 1 << 16;
#if defined(__linux__)
    // Large memory comes from the system, which has zeroed it: touching it is enough, and saves a sweep.
    if (bytes >= (std::size_t(64) << 20)) {
      void* const p = ::mmap(nullptr, rounded + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (p == MAP_FAILED) fail();
      std::byte* const start = static_cast<std::byte*>(p);
      std::byte* const aligned = start + (huge - reinterpret_cast<std::uintptr_t>(p) % huge) % huge;
      madvise(aligned, rounded, MADV_HUGEPAGE);
      memory = {aligned, [start, length = rounded + huge](std::byte*) { ::munmap(start, length); }};
      Kokkos::parallel_for(
          "first_touch", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, (bytes + page - 1) / page),
          KOKKOS_LAMBDA(std::size_t i) {
            for (std::size_t k = i * page; k < (i + 1) * page && k < bytes; k += 4096) aligned[k] = std::byte{0};
          });
      Exec().fence();
      return memory;
    }
#endif
    void* p = std::aligned_alloc(alignment, rounded);
    if (!p) fail();
#if defined(__linux__)
    if (bytes >= huge) madvise(p, rounded, MADV_HUGEPAGE);
#endif
    memory = {static_cast<std::byte*>(p), [](std::byte* q) { std::free(q); }};
    std::byte* const first = memory.get();
    Kokkos::parallel_for(
        "first_touch", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, (bytes + page - 1) / page),
        KOKKOS_LAMBDA(std::size_t i) {
          const std::size_t begin = i * page, end = begin + page < bytes ? begin + page : bytes;
          for (std::size_t k = begin; k < end; ++k) first[k] = std::byte{0};
        });
    Exec().fence();
  } else {
    void* p = nullptr;
    try {
      p = Kokkos::kokkos_malloc<Exec::memory_space>(name, bytes);
    } catch (const std::exception&) {
      fail();
    }
    memory = {static_cast<std::byte*>(p), [](std::byte* q) {
                if (Kokkos::is_initialized()) Kokkos::kokkos_free<Exec::memory_space>(q);
              }};
    Kokkos::deep_copy(DeviceView(memory.get(), bytes), std::byte{0});
  }
  return memory;
}

void copy_to_host(void* host, const void* device, std::size_t bytes) {
  Kokkos::fence("copy_to_host");
  if (!bytes) return;
  Kokkos::deep_copy(HostView(static_cast<std::byte*>(host), bytes),
                    DeviceView(static_cast<std::byte*>(const_cast<void*>(device)), bytes));
}

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  Kokkos::fence("copy_to_device");
  if (!bytes) return;
  Kokkos::deep_copy(DeviceView(static_cast<std::byte*>(device), bytes),
                    HostView(static_cast<std::byte*>(const_cast<void*>(host)), bytes));
}

void copy_on_device(void* to, const void* from, std::size_t bytes) {
  if (!bytes) return;
  Kokkos::deep_copy(Exec(), DeviceView(static_cast<std::byte*>(to), bytes),
                    DeviceView(static_cast<std::byte*>(const_cast<void*>(from)), bytes));
}

}  // namespace kov::detail
