// SPDX-License-Identifier: MIT
#include "apps/bench/kernel_names.hpp"

#include <Kokkos_Core.hpp>

namespace kov::app {

namespace {

/// Kokkos' callbacks are functions and know no object.
std::set<std::string>* names = nullptr;

void note_kernel(const char* name, std::uint32_t, std::uint64_t*) { names->insert(name); }

}  // namespace

std::set<std::string> kernels_of(const std::function<void()>& f) {
  namespace tools = Kokkos::Tools::Experimental;
  std::set<std::string> found;
  names = &found;
  Kokkos::fence();
  const auto before = tools::get_callbacks();
  tools::set_begin_parallel_for_callback(note_kernel);
  tools::set_begin_parallel_reduce_callback(note_kernel);
  tools::set_begin_parallel_scan_callback(note_kernel);
  try {
    f();
    Kokkos::fence();
  } catch (...) {
    tools::set_callbacks(before);
    throw;
  }
  tools::set_callbacks(before);
  return found;
}

}  // namespace kov::app
