// SPDX-License-Identifier: MIT
//
// The kernels that a statement starts, by name.
#pragma once

#include "kov/core/base/queue.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kov::test {

/// Records the names of the kernels that start and of the memory that Kokkos allocates during its lifetime.  A GPU's
/// kernels in blocks of their own size are not started by Kokkos: each is in a region of its name
/// (kov/core/launch/thread_blocks.hpp).
class Launches {
 public:
  Launches() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    names().clear();
    kernels().clear();
    Kokkos::Tools::Experimental::EventSet counting{};
    counting.begin_parallel_for = counting.begin_parallel_reduce =
        counting.begin_parallel_scan = [](const char* name, std::uint32_t instance, std::uint64_t*) {
          names().push_back(name);
          kernels().push_back({name, instance});
        };
    counting.push_region = [](const char* name) { names().push_back(name); };
    counting.allocate_data = [](Kokkos_Profiling_SpaceHandle, const char* name, const void*, std::uint64_t) {
      if (!std::string_view(name).starts_with("Kokkos::"))
        names().push_back(name);  // not the scratch memory of Kokkos itself
    };
    Kokkos::Tools::Experimental::set_callbacks(counting);
  }
  ~Launches() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  static std::vector<std::string>& names() {
    static std::vector<std::string> all;
    return all;
  }
  /// Of the kernels alone, with the number of their instance.
  struct Kernel {
    std::string name;
    std::uint32_t instance;
  };
  static std::vector<Kernel>& kernels() {
    static std::vector<Kernel> all;
    return all;
  }

 private:
  Kokkos::Tools::Experimental::EventSet before_;
};

/// What a statement launches on its second run, when everything it keeps is there.
inline std::vector<std::string> launches(const std::function<void()>& statement) {
  statement();
  const Launches counted;
  statement();
  return Launches::names();
}

/// The kernels of ours that a statement launches on another instance of the same execution space than exec; work of
/// host threads beside a GPU is none.  Kokkos gives all instances of OpenMP one number, so there are none on such a
/// host.
inline std::vector<std::string> launched_beside(const Exec& exec, const std::function<void()>& statement) {
  const Launches recorded;
  statement();
  using namespace Kokkos::Tools::Experimental;
  const std::uint32_t mine = device_id(exec);
  const auto space = [](std::uint32_t instance) { return identifier_from_devid(instance).type; };
  std::vector<std::string> beside;
  for (const Launches::Kernel& kernel : Launches::kernels())
    if (kernel.instance != mine && space(kernel.instance) == space(mine) && !kernel.name.starts_with("Kokkos::"))
      beside.push_back(kernel.name);
  return beside;
}

}  // namespace kov::test
