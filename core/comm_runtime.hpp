// SPDX-License-Identifier: MIT
//
// Starting and ending the message layer: what Runtime needs from the Comm implementation that was linked.
#pragma once

#include <string>

namespace kov::detail {

/// Initialises MPI unless somebody already did, and finalises it only then.
class CommRuntime {
 public:
  CommRuntime(int& argc, char**& argv);
  ~CommRuntime();
  CommRuntime(const CommRuntime&) = delete;
  CommRuntime& operator=(const CommRuntime&) = delete;

  static bool has_mpi();
  /// For reports: the MPI library and its version.
  static std::string description();

 private:
  bool owner_;
};

}  // namespace kov::detail
