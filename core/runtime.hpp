// SPDX-License-Identifier: MIT
//
// Runtime: Kokkos and MPI alive for as long as this object is.  Make one first thing in main().
#pragma once

#include "kov/core/comm.hpp"

#include <string>

namespace Kokkos {
class ScopeGuard;
}

namespace kov {

/// Starts MPI (where built) and Kokkos unless the program already did; ends only what it started.
class Runtime {
 public:
  /// Takes the options that MPI and Kokkos understand out of argv.
  Runtime(int& argc, char**& argv);
  Runtime();
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// For reports and output files: "OpenMP, 2 threads, 8 lanes" or "CUDA, NVIDIA H200, 32 lanes".
  static std::string description();
  static int threads();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kov
