// SPDX-License-Identifier: MIT
//
// Included by force when Kokkos 4.7.00 is compiled and used with CUDA 13, which changed the signatures of two functions
// that this Kokkos calls; later releases of Kokkos need none of it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#if CUDART_VERSION >= 13000

/// As in CUDA 12: edges without data.
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            std::size_t count) {
  const cudaGraphEdgeData* const no_edge_data = nullptr;
  return cudaGraphAddDependencies(graph, from, to, no_edge_data, count);
}

/// As in CUDA 12: the destination is a device's number, or cudaCpuDeviceId.
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device, cudaStream_t stream) {
  cudaMemLocation destination = {};
  destination.id = device;
  destination.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  constexpr unsigned int no_flags = 0;
  return cudaMemPrefetchAsync(pointer, bytes, destination, no_flags, stream);
}

#endif
