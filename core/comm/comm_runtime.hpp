// SPDX-License-Identifier: MIT
//
// Starting and ending the message layer: what Runtime needs from it.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace kov::detail {

/// The RankError of an agreement: every rank was told.
struct AgreedError : RankError {
  explicit AgreedError(const std::string& text, std::source_location where = std::source_location::current())
      : RankError(text, where) {}
};

/// The TimeoutError of a message, which explains why ranks came late elsewhere.
struct LateMessage : TimeoutError {
  explicit LateMessage(const std::string& text, std::source_location where = std::source_location::current())
      : TimeoutError(text, where) {}
};

/// How one rank's part of a run ends.
struct Ending {
  /// Errors come in the order in which they explain a run's end.
  enum class Kind : std::int32_t {
    /// An error that this rank had by itself.
    own,
    /// A message did not come in time.
    missed,
    /// Other ranks did not come in time.
    late,
    /// It was told of another rank's error in an agreement.
    agreed,
    /// Another rank's end cut its waiting short.
    interrupted,
    /// No error.
    done
  };
  Kind kind = Kind::done;
  /// The exit code.
  int code = 0;
  std::string text = {};
};

/// What came of the endings of all ranks.
struct Verdict {
  /// All ranks have come to their ends.  Otherwise some never will, and the run has to be cut off.
  bool complete = true;
  /// That of the first error, 0 where there is none.
  int code = 0;
  /// It is this rank's error that explains the run's end.
  bool mine = false;
  /// Other ranks had no such error.
  bool mine_alone = false;
  /// What is known here of another rank's error that explains the run's end, where this rank has to print it: not all
  /// have come to their ends.
  std::string of_another = {};
};

class MpiRun;

/// Starts MPI unless somebody already did, where wants_mpi(), and under a launcher also where that throws, so that
/// ranks can tell each other; ends it only where it started it.  One that is made while another is alive does nothing.
class CommRuntime {
 public:
  /// A build without MPI throws NotBuilt where KOV_MPI asks for it, and InputError where KOV_MPI is wrong.
  CommRuntime(int& argc, char**& argv);
  /// Where finalize() was not called, other ranks never came to their ends: they are ended when this process exits,
  /// with its code.
  ~CommRuntime();
  CommRuntime(const CommRuntime&) = delete;
  CommRuntime& operator=(const CommRuntime&) = delete;

  /// Tells the other ranks how this one ends and waits for their ends: a few seconds when there was an error, else
  /// Comm::default_timeout().  Once, and then no message any more.
  Verdict end(const Ending& ending);
  /// Ends MPI where this object started it; all ranks have come to their ends.
  void finalize();
  /// Ends all ranks at once.
  [[noreturn]] void cut_off(int code);

  /// The processes of the run; throws CommError when no CommRuntime is alive.
  static std::shared_ptr<const Comm::Impl> world();
  /// Whether messages go through MPI.
  static bool has_mpi();
  /// For reports: the MPI library and its version, or why there is none.
  static std::string description();

 private:
  std::unique_ptr<MpiRun> mpi_;  // empty where MPI does not run
  std::shared_ptr<const Comm::Impl> world_;
};

}  // namespace kov::detail
