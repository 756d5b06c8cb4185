// SPDX-License-Identifier: MIT
//
// What a statement waits for by Kokkos.
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kov::test {

/// Records fences during its lifetime.
class Fences {
 public:
  Fences() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    of_spaces().clear();
    of_instances().clear();
    Kokkos::Tools::Experimental::EventSet recording{};
    recording.begin_fence = [](const char* name, std::uint32_t device, std::uint64_t*) {
      // Below the bits of the space: 0 for all instances of it, all of them set for the copies of the space.
      const std::uint32_t which = device & 0xffffff;
      if (which == 0 || which == 0xffffff)
        of_spaces().push_back(name);
      else
        of_instances().push_back(device);
    };
    Kokkos::Tools::Experimental::set_callbacks(recording);
  }
  ~Fences() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  Fences(const Fences&) = delete;
  Fences& operator=(const Fences&) = delete;

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
  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace kov::test
