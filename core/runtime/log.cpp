// SPDX-License-Identifier: MIT
//
// Log implemented with spdlog, which no other file includes.
#include "kov/core/runtime/log.hpp"

#include <fstream>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace kov {

struct Log::Sink {
  spdlog::logger logger;
  /// Why the first line that could not be written was lost.
  std::string failure = {};
  /// The file to open; empty once it is open.
  std::filesystem::path path = {};
  struct Line {
    spdlog::log_clock::time_point time;
    spdlog::level::level_enum level;
    std::string text;
  };
  /// Lines logged before the file is open.
  std::vector<Line> kept = {};
};

namespace {
spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      break;
  }
  return spdlog::level::warn;
}

/// A log is appended to the file, so a file that is not a log is refused; so is a pipe, because opening it would wait
/// for its reader.
void require_log(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::error_code none;
  require(std::filesystem::is_directory(folder, none), "the log", path.string(), "cannot be written: the folder",
          folder.string(), "does not exist; make it, or name another file");
  const std::filesystem::file_status there = std::filesystem::status(path, none);
  require(!std::filesystem::exists(there) || std::filesystem::is_regular_file(there) ||
              std::filesystem::is_character_file(there),
          "the log", path.string(), "cannot be opened: it is a",
          std::filesystem::is_directory(there) ? "folder" : "pipe, socket or disk",
          "and must be a file or a terminal; name another file");
  if (!std::filesystem::is_regular_file(there) || std::filesystem::file_size(path, none) == 0) return;
  char date[11] = {};  // "2026-01-31 "
  std::ifstream(path).read(date, sizeof(date));
  require(date[4] == '-' && date[7] == '-' && date[10] == ' ', "the log", path.string(),
          "would be appended to a file that is not a log: name another file");
}
}  // namespace

Log Log::to_terminal(const Comm& comm, LogLevel level) {
  Log log;
  log.level_ = level;
  if (comm.rank() == 0) {
    log.sink_ = std::make_shared<Sink>(Sink{{"kovariant", std::make_shared<spdlog::sinks::stderr_sink_mt>()}});
    log.sink_->logger.set_pattern("[%H:%M:%S.%e] %l: %v");
    log.sink_->logger.set_level(spdlog_level(level));
  }
  return log;
}

Log Log::to_file(const Comm& comm, const std::filesystem::path& path, LogLevel level, LogOpening opening) {
  Log log;
  log.level_ = level;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    require_log(path);
    log.sink_ = std::make_shared<Sink>(Sink{.logger = spdlog::logger("kovariant"), .path = path});
    log.sink_->logger.set_level(spdlog_level(level));
    log.sink_->logger.flush_on(spdlog::level::debug);
    Sink* const sink = log.sink_.get();
    sink->logger.set_error_handler([sink](const std::string& why) {
      if (sink->failure.empty()) sink->failure = why;
    });
  });
  if (opening == LogOpening::at_once) log.open(comm);
  return log;
}

void Log::open(const Comm& comm) const {
  comm.agree([&] {
    if (!sink_ || sink_->path.empty()) return;
    try {
      auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(sink_->path.string(), false);
      file->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
      sink_->logger.sinks().push_back(std::move(file));
    } catch (const spdlog::spdlog_ex& e) {
      throw InputError(sentence("the log", sink_->path.string(), "cannot be opened:", e.what(), "- name another file"));
    }
    sink_->path.clear();
    for (const Sink::Line& line : sink_->kept) sink_->logger.log(line.time, {}, line.level, line.text);
    sink_->kept.clear();
  });
}

void Log::require_written() const {
  require(!sink_ || sink_->failure.empty(), "the log is incomplete:", sink_ ? sink_->failure : "",
          "- is the disk full? Name another file");
}

void Log::write(LogLevel level, const std::string& text) const {
  if (sink_->path.empty())
    sink_->logger.log(spdlog_level(level), text);
  else
    sink_->kept.push_back({spdlog::log_clock::now(), spdlog_level(level), text});
}

}  // namespace kov
