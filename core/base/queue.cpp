// SPDX-License-Identifier: MIT
#include "kov/core/base/queue.hpp"

#include "kov/core/base/error.hpp"

#include <cstring>

namespace kov::detail {

namespace {

using PinnedSpace = Kokkos::SharedHostPinnedSpace;
using DeviceBytes = Kokkos::View<std::byte*, Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using PinnedBytes = Kokkos::View<std::byte*, PinnedSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

#if defined(KOKKOS_ENABLE_CUDA)
void check_cuda(cudaError_t result, const char* what) {
  require<CommError>(result == cudaSuccess, what, "failed in CUDA:", cudaGetErrorString(result));
}
#endif

std::byte* writable_bytes(const void* p) { return static_cast<std::byte*>(const_cast<void*>(p)); }

}  // namespace

Exec instance_beside(const Exec& exec) {
  if constexpr (kernels_are_asynchronous)
    return Kokkos::Experimental::partition_space(exec, 1)[0];
  else
    return exec;
}

void order_after([[maybe_unused]] const Exec& later, [[maybe_unused]] const Exec& earlier) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (later.cuda_stream() == earlier.cuda_stream()) return;
  cudaEvent_t event;
  check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
  const cudaError_t recorded = cudaEventRecord(event, earlier.cuda_stream());
  const cudaError_t awaited = cudaStreamWaitEvent(later.cuda_stream(), event, 0);
  cudaEventDestroy(event);  // when it has happened
  check_cuda(recorded, "recording an event");
  check_cuda(awaited, "waiting for an event");
#else
  earlier.fence("order_after");
#endif
}

std::shared_ptr<std::byte> allocate_pinned(const std::string& name, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* p = nullptr;
  try {
    p = Kokkos::kokkos_malloc<PinnedSpace>(name, bytes);
  } catch (const std::exception&) {
    throw InputError(
        sentence("no page-locked memory for", name, "of", bytes >> 20, "MiB: use more ranks or a smaller lattice"));
  }
  std::memset(p, 0, bytes);
  return {static_cast<std::byte*>(p), [](std::byte* q) {
            if (Kokkos::is_initialized()) Kokkos::kokkos_free<PinnedSpace>(q);
          }};
}

void copy_to_host(const Exec& exec, void* pinned, const void* device, std::size_t bytes) {
  if (bytes)
    Kokkos::deep_copy(exec, PinnedBytes(writable_bytes(pinned), bytes), DeviceBytes(writable_bytes(device), bytes));
}

void copy_to_device(const Exec& exec, void* device, const void* pinned, std::size_t bytes) {
  if (bytes)
    Kokkos::deep_copy(exec, DeviceBytes(writable_bytes(device), bytes), PinnedBytes(writable_bytes(pinned), bytes));
}

}  // namespace kov::detail
