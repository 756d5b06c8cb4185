// SPDX-License-Identifier: MIT
//
// Log: where messages go.  The library never prints by itself: functions with messages take a Log, and the default one
// discards everything.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <filesystem>
#include <memory>

namespace kov {

/// From what is of use to developers to what a user should see.
enum class LogLevel { debug, info, warning };

/// When the file of a log is opened.
enum class LogOpening {
  at_once,
  /// Lines are buffered until open(), so that a program that refuses its settings leaves no file behind.
  later
};

/// Copies are handles to the same destination.
class Log {
 public:
  /// Discards everything.
  Log() = default;
  /// Lines "[hh:mm:ss.ms] level: text" on standard error of rank 0, from this level up.
  static Log to_terminal(const Comm& comm, LogLevel level = LogLevel::info);
  /// Lines "date time level: text" appended to a file or terminal by rank 0.  Collective; throws InputError, on other
  /// ranks RankError, when it cannot be opened or is not a log.
  static Log to_file(const Comm& comm, const std::filesystem::path& path, LogLevel level = LogLevel::info,
                     LogOpening opening = LogOpening::at_once);

  template <class... Parts>
  void debug(const Parts&... parts) const {
    if (wants(LogLevel::debug)) write(LogLevel::debug, sentence(parts...));
  }
  template <class... Parts>
  void info(const Parts&... parts) const {
    if (wants(LogLevel::info)) write(LogLevel::info, sentence(parts...));
  }
  template <class... Parts>
  void warning(const Parts&... parts) const {
    if (wants(LogLevel::warning)) write(LogLevel::warning, sentence(parts...));
  }

  /// Whether a message of this level would go anywhere.
  bool wants(LogLevel level) const { return sink_ && level >= level_; }

  /// Opens the file of a log with deferred opening and writes the buffered lines; does nothing for other logs and when
  /// called again.  Collective; throws as to_file() does.
  void open(const Comm& comm) const;

  /// Throws InputError on rank 0 when any message of this log could not be written to its file; the logging calls
  /// themselves do not throw.
  void require_written() const;

 private:
  struct Sink;
  void write(LogLevel level, const std::string& text) const;

  LogLevel level_ = LogLevel::info;
  std::shared_ptr<Sink> sink_;
};

}  // namespace kov
