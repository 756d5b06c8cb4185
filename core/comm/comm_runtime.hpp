// SPDX-License-Identifier: MIT
//
// Starting and ending the message layer: what Runtime needs from it.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace kov::detail {

/// The RankError of Comm::agree(), which every rank has received.
struct AgreedError : RankError {
  explicit AgreedError(const std::string& text, std::source_location where = std::source_location::current())
      : RankError(text, where) {}
};

/// The TimeoutError of a message: the cause of later timeouts in collective operations.
struct LateMessage : TimeoutError {
  explicit LateMessage(const std::string& text, std::source_location where = std::source_location::current())
      : TimeoutError(text, where) {}
};

/// How one rank's part of a run ends.
struct Ending {
  /// In order of precedence: the first kind is the best explanation of why the run ended.
  enum class Kind : std::int32_t {
    /// An error of this rank itself.
    own,
    /// A message did not come in time.
    missed,
    /// Other ranks did not come in time.
    late,
    /// Another rank's error, received in Comm::agree().
    agreed,
    /// This rank stopped waiting because another rank ended.
    interrupted,
    /// No error.
    done
  };
  Kind kind = Kind::done;
  /// The exit code.
  int code = 0;
  std::string text = {};
};

/// The combined result of all ranks' endings.
struct Verdict {
  /// All ranks have reached their ends.  Otherwise some never will, and the run must be aborted.
  bool complete = true;
  /// The exit code of the first error; 0 without one.
  int code = 0;
  /// Whether this rank's error is the one that explains why the run ended.
  bool mine = false;
  /// Whether no other rank had the same error.
  bool mine_alone = false;
  /// The message of another rank's error if this rank has to print it, because not all ranks have reached their ends.
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
  /// For reports: the MPI library and its version, or why MPI is not used.
  static std::string description();

 private:
  std::unique_ptr<MpiRun> mpi_;  // empty where MPI does not run
  std::shared_ptr<const Comm::Impl> world_;
};

}  // namespace kov::detail
