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

struct Fences {
  /// The names of fences of every instance of a space.
  std::vector<std::string> of_all;
  int of_one = 0;
};

/// The fences of a statement's second run, when everything it keeps is there.
inline Fences fences(const std::function<void()>& statement) {
  statement();
  namespace tools = Kokkos::Tools::Experimental;
  static Fences found;
  found = {};
  const auto before = tools::get_callbacks();
  tools::set_begin_fence_callback([](const char* name, std::uint32_t device, std::uint64_t*) {
    // Kokkos gives a fence of a whole space the number 0 and one before a deep copy the largest one.
    const std::uint32_t instance = tools::identifier_from_devid(device).instance_id;
    if (instance == 0 || instance == 0xffffff)
      found.of_all.push_back(name);
    else
      ++found.of_one;
  });
  statement();
  tools::set_callbacks(before);
  return found;
}

}  // namespace kov::test
