// SPDX-License-Identifier: MIT
#include "apps/output_lock.hpp"

#include "kov/core/error.hpp"
#include "kov/core/io/atomic_file.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kov::app {

namespace {

constexpr const char* lock_heading = "kovariant lock\n";
constexpr std::size_t longest_command = 500;

std::string now() {
  char text[40];
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &utc);
  return text;
}

std::string host() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "an unknown host";
}

std::string holder_text(const std::string& command) {
  return sentence("process", ::getpid(), "on", host() + ", since", now() + ":", command.substr(0, longest_command));
}

/// The first bytes of the file.
std::string content(int handle) {
  char text[2048];
  const ssize_t n = ::pread(handle, text, sizeof(text), 0);
  return {text, std::size_t(std::max<ssize_t>(n, 0))};
}

bool is_ours(int handle, const std::string& text) {
  struct stat file;
  return ::fstat(handle, &file) == 0 && S_ISREG(file.st_mode) && (text.empty() || text.rfind(lock_heading, 0) == 0);
}

/// Whether the name still is that of the open file; the holder before us may have removed it.
bool is_named(int handle, const std::string& file) {
  struct stat open, named;
  return ::fstat(handle, &open) == 0 && ::lstat(file.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

/// An open file that is locked, or about to be.
class OutputLock::File {
 public:
  File(const std::string& file, int handle) : file_(file), handle_(handle) {}
  ~File() {
    if (locked_ && is_named(handle_, file_)) ::unlink(file_.c_str());
    ::close(handle_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int handle() const { return handle_; }
  /// From now on the file is ours to remove.
  void take() {
    locked_ = true;
    at_end_.emplace(file_);
  }

 private:
  std::string file_;
  int handle_;
  bool locked_ = false;
  std::optional<RemovedOnSignal> at_end_;
};

OutputLock::OutputLock(const std::string& file, const std::string& command) {
  while (!held_) {
    const int handle = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    int error = errno;
    require(handle >= 0, file, "cannot be opened:", std::strerror(error),
            "- it keeps other runs from writing the same outputs; remove it or name other outputs");
    auto attempt = std::make_unique<File>(file, handle);
    const int code = ::flock(handle, LOCK_EX | LOCK_NB);
    error = errno;
    const std::string text = content(handle);
    require(is_ours(handle, text), file, "is there and is no lock of this program: move it away or name other outputs");
    if (code != 0 && error == EINTR) continue;
    if (code != 0) {
      require(error != EWOULDBLOCK, "another run writes these outputs,",
              text.empty() ? "and has just begun" : trim(text.substr(std::strlen(lock_heading))), "- its lock is",
              file + "; wait until it has ended, or name other outputs");
      if (text.empty()) ::unlink(file.c_str());
      return;  // a file system without locks
    }
    if (!is_named(handle, file)) continue;
    attempt->take();
    held_ = std::move(attempt);
  }
  const std::string text = lock_heading + holder_text(command) + "\n";
  // What it says is for people: the lock holds without it.
  if (::ftruncate(held_->handle(), 0) != 0 || ::pwrite(held_->handle(), text.data(), text.size(), 0) < 0) return;
}

OutputLock::~OutputLock() = default;
OutputLock::OutputLock(OutputLock&&) noexcept = default;

bool OutputLock::held() const { return held_ != nullptr; }

}  // namespace kov::app
