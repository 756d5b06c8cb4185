// SPDX-License-Identifier: MIT
#include "kov/core/base/device.hpp"

#include "kov/core/base/error.hpp"

#include <Kokkos_Core.hpp>

#include <cstring>
#include <fstream>

namespace kov {

namespace {

#if !defined(KOKKOS_ENABLE_CUDA)
/// As Linux calls it; empty elsewhere.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return {};
}
#endif

}  // namespace

std::string device_name() {
  const Kokkos::DefaultExecutionSpace space;
#if defined(KOKKOS_ENABLE_CUDA)
  return sentence(space.name(), space.cuda_device_prop().name);
#else
  return sentence(space.name(), processor_name(), space.concurrency(), "threads");
#endif
}

void detail::copy_between(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  Kokkos::fence("copy_between");
#if defined(KOKKOS_ENABLE_CUDA)
  const cudaError_t result = cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
  require<CommError>(result == cudaSuccess, "copying", bytes,
                     "bytes from or to the device failed in CUDA:", cudaGetErrorString(result));
  Kokkos::fence("copy_between");
#else
  std::memcpy(to, from, bytes);
#endif
}

#if defined(KOKKOS_ENABLE_CUDA)
namespace {

bool is_on_device(const void* p) {
  cudaPointerAttributes attributes{};
  return cudaPointerGetAttributes(&attributes, p) == cudaSuccess && attributes.type == cudaMemoryTypeDevice;
}

void require_copied(cudaError_t result) {
  require<CommError>(result == cudaSuccess,
                     "copying a message from or to the device failed in CUDA:", cudaGetErrorString(result));
}

}  // namespace
#endif

void detail::start_copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
#if defined(KOKKOS_ENABLE_CUDA)
  if (is_on_device(to) || is_on_device(from))
    return require_copied(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cudaStreamPerThread));
#endif
  std::memcpy(to, from, bytes);
}

void detail::await_copies() {
#if defined(KOKKOS_ENABLE_CUDA)
  require_copied(cudaStreamSynchronize(cudaStreamPerThread));
#endif
}

}  // namespace kov
