// SPDX-License-Identifier: MIT
#include "kov/core/runtime.hpp"

#include "kov/core/comm_runtime.hpp"
#include "kov/core/pack.hpp"

#include <Kokkos_Core.hpp>

namespace kov {

struct Runtime::Parts {
  detail::CommRuntime comm;
  bool owns_kokkos;

  Parts(int& argc, char**& argv) : comm(argc, argv), owns_kokkos(!Kokkos::is_initialized()) {
    if (owns_kokkos) Kokkos::initialize(argc, argv);
  }
  ~Parts() {
    if (owns_kokkos) Kokkos::finalize();
  }
};

Runtime::Runtime(int& argc, char**& argv) : parts_(std::make_unique<Parts>(argc, argv)) {}
Runtime::Runtime() {
  int argc = 0;
  char** argv = nullptr;
  parts_ = std::make_unique<Parts>(argc, argv);
}
Runtime::~Runtime() = default;

int Runtime::threads() { return Kokkos::DefaultHostExecutionSpace().concurrency(); }

std::string Runtime::description() {
  std::string text = Kokkos::DefaultExecutionSpace::name();
#if defined(KOKKOS_ENABLE_CUDA)
  text += std::string(", ") + Kokkos::Cuda().cuda_device_prop().name;
#endif
  return sentence(text + ",", threads(), "host threads,", default_lanes, "lanes,", detail::CommRuntime::description());
}

}  // namespace kov
