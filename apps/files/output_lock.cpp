// SPDX-License-Identifier: MIT
#include "apps/files/output_lock.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/io/atomic_file.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <optional>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace kov::app {

namespace {

constexpr const char* lock_heading = "kovariant lock\n";
constexpr std::string_view files_label = "files ";
constexpr std::size_t longest_stem = 250;
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

bool are_one(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

/// Whether the name still refers to the open file; the previous holder may have removed it.
bool is_named(int handle, const std::string& file) {
  struct stat open, named;
  return ::fstat(handle, &open) == 0 && ::lstat(file.c_str(), &named) == 0 && are_one(open, named);
}

/// The contents of a lock after its heading.
struct Holder {
  /// Of its files; nothing where it does not say.
  std::optional<std::vector<std::string>> endings;
  std::string who;
};

Holder holder_of(const std::string& text) {
  Holder holder{.endings = {}, .who = text.empty() ? "and has just begun" : text.substr(std::strlen(lock_heading))};
  if (holder.who.starts_with(files_label)) {
    const std::size_t end = std::min(holder.who.find('\n'), holder.who.size());
    holder.endings.emplace();
    for (const std::string& word : words(holder.who.substr(files_label.size(), end - files_label.size())))
      holder.endings->push_back(word.substr(1));
    holder.who.erase(0, end);
  }
  holder.who = trim(holder.who);
  return holder;
}

std::string problem_of(const std::string& files, const std::string& who, const std::string& lock) {
  return sentence("another run writes", files + ",", who, "- its lock is",
                  lock + "; wait until it has ended, or name other outputs");
}

/// ".0001.lime" and ".0002.lime" become ".#.lime".
std::string without_long_numbers(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    text += digits >= 4 ? "#" : name.substr(0, std::max<std::size_t>(digits, 1));
    name.remove_prefix(std::max<std::size_t>(digits, 1));
  }
  return text;
}

/// Whether a name is that of one of the files: the stem and an ending, in which every long number may stand.
bool is_among(const std::string& name, const std::string& stem, const std::vector<std::string>& endings) {
  return name.starts_with(stem) && std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
           return without_long_numbers(name.substr(stem.size())) == without_long_numbers(ending);
         });
}

std::filesystem::path folder_of(const LockedFiles& files) {
  return files.stem.has_parent_path() ? files.stem.parent_path() : ".";
}

/// The text of the lock where another process holds it.
std::optional<std::string> text_of_held(const std::filesystem::path& file, const std::vector<OutputLock>& own) {
  const int handle = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (handle < 0) return {};
  std::optional<std::string> found;
  const bool mine = std::any_of(own.begin(), own.end(), [&](const OutputLock& lock) { return lock.is(handle); });
  if (const std::string text = content(handle); !mine && is_ours(handle, text))
    if (::flock(handle, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) found = text;
  ::close(handle);
  return found;
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
  /// From now on this object removes the file.
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

OutputLock::OutputLock(const LockedFiles& files, const std::string& command) {
  const std::string file = files.lock().string();
  while (!held_) {
    const int handle = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    int error = errno;
    require(handle >= 0, file, "cannot be opened:", std::strerror(error),
            "- it keeps other runs from writing the same outputs; name outputs in a folder where files can be made, or "
            "remove it if it is there");
    auto attempt = std::make_unique<File>(file, handle);
    const int code = ::flock(handle, LOCK_EX | LOCK_NB);
    error = errno;
    const std::string text = content(handle);
    require(is_ours(handle, text), file,
            "exists and is not a lock of this program: move it away or name other outputs");
    if (code != 0 && error == EINTR) continue;
    // Not held by another run: one is just reading it.
    if (code != 0 && error == EWOULDBLOCK && ::flock(handle, LOCK_SH | LOCK_NB) == 0) continue;
    if (code != 0) {
      if (error == EWOULDBLOCK) throw InputError(problem_of("these outputs", holder_of(text).who, file));
      if (text.empty()) ::unlink(file.c_str());
      return;  // a file system without locks
    }
    if (!is_named(handle, file)) continue;
    attempt->take();
    held_ = std::move(attempt);
  }
  std::string text = std::string(lock_heading).append(files_label);
  for (const std::string& ending : files.endings) text += "*" + ending + " ";
  text.back() = '\n';
  text += holder_text(command) + "\n";
  // The lock also works without a text; others then assume that it covers all files with this stem.
  if (::ftruncate(held_->handle(), 0) != 0 || ::pwrite(held_->handle(), text.data(), text.size(), 0) < 0) return;
}

OutputLock::~OutputLock() = default;
OutputLock::OutputLock(OutputLock&&) noexcept = default;

bool OutputLock::held() const { return held_ != nullptr; }

bool OutputLock::is(int handle) const {
  struct stat ours, theirs;
  return held_ && ::fstat(held_->handle(), &ours) == 0 && ::fstat(handle, &theirs) == 0 && are_one(ours, theirs);
}

std::filesystem::path LockedFiles::lock() const {
  return stem.parent_path() / (stem.filename().string().substr(0, longest_stem) + lock_ending);
}

FolderLocks::FolderLocks(const std::vector<LockedFiles>& all) {
  std::map<std::pair<dev_t, ino_t>, int> folders;  // in one order for all runs
  for (const LockedFiles& files : all) {
    const int handle = ::open(folder_of(files).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat folder;
    const bool there = handle >= 0 && ::fstat(handle, &folder) == 0;
    held_ = held_ && there;
    const bool is_new = there && folders.try_emplace({folder.st_dev, folder.st_ino}, handle).second;
    if (handle >= 0 && !is_new) ::close(handle);
  }
  for (const auto& [folder, handle] : folders) handles_.push_back(handle);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (const int handle : handles_) {
    int code = ::flock(handle, LOCK_EX | LOCK_NB);
    while (code != 0 && (errno == EWOULDBLOCK || errno == EINTR) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      code = ::flock(handle, LOCK_EX | LOCK_NB);
    }
    held_ = held_ && code == 0;
  }
}

FolderLocks::~FolderLocks() {
  for (const int handle : handles_) ::close(handle);
}

std::string other_writer(const LockedFiles& files, const std::vector<OutputLock>& own) {
  const std::filesystem::path folder = folder_of(files);
  const std::string stem = files.stem.filename().string();
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().extension() != lock_ending) continue;
    const std::string theirs = at->path().stem().string();
    // Of two names of one file both stems are beginnings.
    if (!theirs.starts_with(stem.substr(0, theirs.size()))) continue;
    const auto text = text_of_held(at->path(), own);
    if (!text) continue;
    const Holder holder = holder_of(*text);
    // Unknown for a lock without a text or with a truncated name.
    std::string shared = holder.endings && theirs.size() < longest_stem ? "" : stem;
    for (const std::string& ending : files.endings)
      if (holder.endings && is_among(stem + ending, theirs, *holder.endings)) shared = stem + ending;
    for (const std::string& ending : holder.endings.value_or(std::vector<std::string>()))
      if (is_among(theirs + ending, stem, files.endings)) shared = theirs + ending;
    const auto beside = [&](const std::filesystem::path& name) { return (files.stem.parent_path() / name).string(); };
    if (!shared.empty()) return problem_of(beside(shared), holder.who, beside(at->path().filename()));
  }
  return "";
}

}  // namespace kov::app
