// SPDX-License-Identifier: MIT
//
// Log over spdlog.  The only file that sees it.
#include "kov/core/log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace kov {

struct Log::Sink {
  spdlog::logger logger;
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

Log Log::to_file(const Comm& comm, const std::filesystem::path& path, LogLevel level) {
  Log log;
  log.level_ = level;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    try {
      log.sink_ = std::make_shared<Sink>(
          Sink{{"kovariant", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string(), false)}});
    } catch (const spdlog::spdlog_ex& e) {
      throw InputError(sentence("the log", path.string(), "cannot be opened:", e.what(), "- name another file"));
    }
    log.sink_->logger.set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
    log.sink_->logger.set_level(spdlog_level(level));
    log.sink_->logger.flush_on(spdlog::level::debug);
  });
  return log;
}

void Log::write(LogLevel level, const std::string& text) const { sink_->logger.log(spdlog_level(level), text); }

}  // namespace kov
