// SPDX-License-Identifier: MIT
//
// Start and end of MPI: mpi_run.cpp, or mpi_run_absent.cpp in a build without MPI.
#pragma once

#include "kov/core/comm/comm_impl.hpp"
#include "kov/core/comm/comm_runtime.hpp"

#include <memory>
#include <string>

namespace kov::detail {

/// MPI while it runs.
class MpiRun {
 public:
  /// Starts MPI if it should run; null where it does not run and is not wanted.
  static std::unique_ptr<MpiRun> start(int& argc, char**& argv);
  virtual ~MpiRun() = default;
  virtual std::shared_ptr<const Comm::Impl> world() const = 0;
  /// See CommRuntime.
  virtual Verdict end(const Ending& ending) = 0;
  virtual void finalize() = 0;
  [[noreturn]] virtual void cut_off(int code) = 0;
  virtual std::string description() const = 0;
  /// Why there is no MPI in this process: the build has none, or MPI was not started.
  static std::string absence();
};

}  // namespace kov::detail
