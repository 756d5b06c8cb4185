// SPDX-License-Identifier: MIT
//
// The kernels that a statement starts, by name, and what it waits for.
#pragma once

#include "kov/core/base/queue.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kov::test {

/// Any callbacks of Kokkos, until this is gone.
class Callbacks {
 public:
  using Events = Kokkos::Tools::Experimental::EventSet;

  explicit Callbacks(const Events& events) : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    Kokkos::Tools::Experimental::set_callbacks(events);
  }
  ~Callbacks() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

 private:
  Events before_;
};

/// Records the names of the kernels that start and of the memory that Kokkos allocates during its lifetime.  A GPU's
/// kernels in blocks of their own size are not started by Kokkos: each is in a region of its name
/// (kov/core/launch/thread_blocks.hpp).
class Launches {
 public:
  Launches() : callbacks_(counting()) {
    names().clear();
    kernels().clear();
  }

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
  static Callbacks::Events counting() {
    Callbacks::Events events{};
    events.begin_parallel_for = events.begin_parallel_reduce =
        events.begin_parallel_scan = [](const char* name, std::uint32_t instance, std::uint64_t*) {
          names().push_back(name);
          kernels().push_back({name, instance});
        };
    events.push_region = [](const char* name) { names().push_back(name); };
    events.allocate_data = [](Kokkos_Profiling_SpaceHandle, const char* name, const void*, std::uint64_t) {
      if (!std::string_view(name).starts_with("Kokkos::"))
        names().push_back(name);  // not the scratch memory of Kokkos itself
    };
    return events;
  }

  Callbacks callbacks_;
};

/// Records fences during its lifetime.
class Fences {
 public:
  Fences() : callbacks_(recording()) {
    of_spaces().clear();
    of_instances().clear();
  }

  /// The names of fences of all instances of a space.
  static std::vector<std::string>& of_spaces() {
    static std::vector<std::string> all;
    return all;
  }
  /// Kokkos::Tools::Experimental::device_id(exec) of fences of one instance.
  static std::vector<std::uint32_t>& of_instances() {
    static std::vector<std::uint32_t> all;
    return all;
  }

 private:
  static Callbacks::Events recording() {
    Callbacks::Events events{};
    events.begin_fence = [](const char* name, std::uint32_t device, std::uint64_t*) {
      // Below the bits of the space: 0 for all instances of it, all of them set for the copies of the space.
      const std::uint32_t which = device & 0xffffff;
      if (which == 0 || which == 0xffffff)
        of_spaces().push_back(name);
      else
        of_instances().push_back(device);
    };
    return events;
  }

  Callbacks callbacks_;
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
