// SPDX-License-Identifier: MIT
//
// Runtime: Kokkos and MPI alive for as long as this object is.  Make one first thing in main(), or let run() do so.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <functional>
#include <memory>
#include <string>

namespace kov {

namespace detail {
/// run() that calls `prepare` before Kokkos starts: what it throws is an error like those of f.
int run(int& argc, char**& argv, const std::function<void()>& prepare, const std::function<void(const Comm&)>& f);
}  // namespace detail

/// Starts MPI (under a launcher, see wants_mpi()) and Kokkos unless the program has already started them; ends only
/// what it started itself.
///
/// An error on one rank ends all ranks, whatever the others are doing:
/// - An exception that nobody catches is printed once on standard error, and every process ends with its exit_code().
///   A std::terminate handler does this; the previous handler is restored when this object ends.
/// - An exception that leaves the scope of this object and is caught in main() is not printed here: the handler in
///   main() prints it.  Ranks that failed only because another one did wait two seconds here for that one to print, as
///   launchers end all ranks when the first one exits.
/// Other ranks that wait in a Comm for the failed one get a RankError.  Those that do not reach their end within a few
/// seconds (stopped, or busy elsewhere) are ended by MPI_Abort, which is a signal to them: after
/// end_cleanly_on_signals() they leave no temporary files.
///
/// The end is collective.  A rank that ends early, say because it caught an exception of its own and left main(), lets
/// others that wait for it fail with a RankError too.
class Runtime {
 public:
  /// Takes the options that MPI and Kokkos understand out of argv.  Throws InputError where KOV_MPI or KOV_TIMEOUT is
  /// wrong, on options --kokkos-... that Kokkos does not know, where it would abort on one or on a variable KOKKOS_...,
  /// on more OpenMP threads than most_threads, and in a build for GPUs where there is none or not the one asked for.
  /// The other ranks are told, as at the end.  A build without MPI throws NotBuilt where KOV_MPI asks for it.
  Runtime(int& argc, char**& argv);
  Runtime();
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// For reports and output files: "OpenMP, 2 threads, 8 lanes" or "CUDA, NVIDIA H200, 32 lanes".
  static std::string description();
  static int threads();
  /// The length of Kokkos' tables of OpenMP threads.
  static constexpr int most_threads = 512;

 private:
  friend int detail::run(int& argc, char**& argv, const std::function<void()>& prepare,
                         const std::function<void(const Comm&)>& f);
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// A whole main(): calls f with all processes while a Runtime is alive, and returns the exit code, on every rank the
/// same. The first error, whichever rank had it, is printed once on standard error, and nothing half-written stays:
/// files that are not finished are removed, also when a signal ends the program (see end_cleanly_on_signals()).
///
///     int main(int argc, char** argv) {
///       return kov::run(argc, argv, [&](const kov::Comm& comm) { ... });
///     }
///
/// f is called after MPI and Kokkos took their options out of argv.
int run(int& argc, char**& argv, const std::function<void(const Comm&)>& f);

}  // namespace kov
