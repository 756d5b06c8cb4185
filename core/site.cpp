// SPDX-License-Identifier: MIT
#include "kov/core/site.hpp"

#include "kov/core/error.hpp"

namespace kov::detail {

void check_launch([[maybe_unused]] const std::string& name) {
#if defined(KOKKOS_ENABLE_CUDA)
  const cudaError_t code = cudaGetLastError();
  require<Error>(code == cudaSuccess, "the kernel", name, "could not be launched on the GPU:", cudaGetErrorString(code),
                 "; was the program built for this GPU's architecture?");
#endif
}

}  // namespace kov::detail
