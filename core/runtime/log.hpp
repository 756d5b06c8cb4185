// SPDX-License-Identifier: MIT
//
// Log: where a program wants messages to go.  The library itself never prints; a function that has something to say is
// given a Log, and the default one discards everything.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <filesystem>
#include <memory>

namespace kov {

enum class LogLevel { debug, info, warning };

enum class LogOpening {
  at_once,
  /// Lines are kept until open(): a program that refuses what it was asked for leaves no file.
  later
};

/// Copies are handles to the same destination.
class Log {
 public:
  /// Discards everything.
  Log() = default;
  /// Lines "[hh:mm:ss.ms] level: text" on standard error of rank 0, from this level up.
  static Log to_terminal(const Comm& comm, LogLevel level = LogLevel::info);
  /// Lines "date time level: text" appended to a file or terminal by rank 0.  Collective; throws InputError,
  /// on other ranks RankError, when it cannot be opened or is something else.
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

  /// Opens the file of a log that is to be opened later, and writes what was kept for it; does nothing for other logs
  /// and when called again.  Collective; throws as to_file() does.
  void open(const Comm& comm) const;

  /// Throws InputError on rank 0 when a message of this log could not be written to its file: writing itself throws
  /// nothing.
  void require_written() const;

 private:
  struct Sink;
  void write(LogLevel level, const std::string& text) const;

  LogLevel level_ = LogLevel::info;
  std::shared_ptr<Sink> sink_;
};

}  // namespace kov
