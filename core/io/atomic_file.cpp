// SPDX-License-Identifier: MIT
#include "kov/core/io/atomic_file.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/io/text.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace kov {

namespace {

namespace fs = std::filesystem;

fs::path temporary_beside(const fs::path& target) {
  // The process number tells processes apart, the counter the files of one; names may have 255 bytes.
  static std::atomic<unsigned> counter{0};
  const std::string stem = target.filename().string().substr(0, 200);
  return target.parent_path() /
         ("." + stem + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".part");
}

/// Names for remove_temporary_files(), which runs in signal handlers.  Whoever exchanges a name out of its slot owns
/// it. Files beyond this many at once are written all the same, but stay behind when a signal ends the program.
constexpr int n_slots = 64;
std::atomic<char*> slots[n_slots];
static_assert(std::atomic<char*>::is_always_lock_free);

/// The slot that the name was put into; -1 when all are taken.
int remember(const fs::path& temporary) {
  char* const name = ::strdup(temporary.c_str());
  for (int i = 0; name && i < n_slots; ++i) {
    char* none = nullptr;
    if (slots[i].compare_exchange_strong(none, name)) return i;
  }
  std::free(name);
  return -1;
}
void forget(int slot) {
  if (slot >= 0) std::free(slots[slot].exchange(nullptr));
}

/// Puts what was written to a file or folder on disk.
void synchronise(const fs::path& path, int flags) {
  const int handle = ::open(path.c_str(), flags | O_CLOEXEC);
  int error = errno;
  if (handle < 0 && error == EACCES && (flags & O_DIRECTORY)) return;  // a folder that may be written and not be read
  require(handle >= 0, "cannot open", path.string(), "again:", std::strerror(error));
  const int code = ::fsync(handle);
  error = errno;
  ::close(handle);
  // Some file systems cannot do this to folders and say EINVAL.
  require(code == 0 || error == EINVAL, "writing", path.string(), "to disk failed:", std::strerror(error));
}

}  // namespace

void remove_temporary_files() noexcept {
  for (auto& slot : slots)
    if (const char* const name = slot.exchange(nullptr)) ::unlink(name);  // not freed: this may be a signal handler
}

RemovedOnSignal::RemovedOnSignal(const fs::path& file) : slot_(remember(file)) {}
RemovedOnSignal::~RemovedOnSignal() { forget(slot_); }

fs::path followed(const fs::path& target) {
  std::error_code error;
  fs::path file = target;
  for (int links = 0; links < 40 && fs::is_symlink(file, error); ++links) {
    const fs::path to = fs::read_symlink(file, error);
    if (error) break;
    file = to.is_absolute() ? to : file.parent_path() / to;
  }
  return file;
}

std::string reason_of_write(int error) {
  const std::string text = std::strerror(error);
  if (error == ENOSPC || error == EDQUOT) return text + "; make room there, or name outputs elsewhere";
  if (error == EFBIG) return text + "; raise the limit on the size of files (ulimit -f), or write less to one";
  return text;
}

void write_all(int handle, std::uint64_t offset, std::span<const std::byte> bytes, const std::string& name) {
  while (!bytes.empty()) {
    const std::size_t some = std::min<std::size_t>(bytes.size(), std::size_t(1) << 30);
    const ssize_t n = ::pwrite(handle, bytes.data(), some, off_t(offset));
    const int error = errno;
    if (n < 0 && error == EINTR) continue;
    require(n > 0, "writing", name, "failed at byte", std::to_string(offset) + ":", reason_of_write(error));
    bytes = bytes.subspan(std::size_t(n));
    offset += std::uint64_t(n);
  }
}

PendingFile::PendingFile(const fs::path& target) : target_(followed(target)) {
  require(target.has_filename(), "cannot write to", in_quotes(target.string()) + ":", "it names no file");
  require(target_.filename().string().size() <= 255, "cannot write to", in_quotes(target.string()) + ":",
          "its name is longer than 255 bytes; choose a shorter one");
  std::error_code error;
  require(!fs::is_symlink(fs::symlink_status(target_, error)), "cannot write to", target.string() + ":",
          "it is a loop of symbolic links, or a longer chain of them than can be followed");
  const fs::file_status status = fs::status(target_, error);
  require(!fs::exists(status) || fs::is_regular_file(status), "cannot write to", target.string() + ":",
          fs::is_directory(status) ? "it is a folder; name a file in it" : "it is a device or pipe; name a file");
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  require(fs::is_directory(folder, error), "cannot write", target.string() + ":",
          fs::exists(folder, error) ? folder.string() + " is a file, not a folder"
                                    : "the folder " + folder.string() + " does not exist; make it first");
  temporary_ = temporary_beside(target_);
  slot_ = remember(temporary_);
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      pending_(std::exchange(other.pending_, false)),
      slot_(std::exchange(other.slot_, -1)) {}

PendingFile::~PendingFile() {
  if (pending_) ::unlink(temporary_.c_str());
  forget(slot_);
}

void PendingFile::commit() {
  require(pending_, target_.string(), "has been committed already");
  synchronise(temporary_, O_RDONLY);
  const int code = ::rename(temporary_.c_str(), target_.c_str());
  const int error = errno;
  require(code == 0, "cannot give", temporary_.string(), "the name", target_.string() + ":", std::strerror(error));
  pending_ = false;
  synchronise(target_.has_parent_path() ? target_.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
}

OutputFile::OutputFile(const fs::path& target) : pending_(target) {
  handle_ = ::open(temporary().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const int error = errno;
  require(handle_ >= 0, "cannot create", temporary().string() + ":", std::strerror(error));
}

OutputFile::~OutputFile() {
  if (handle_ >= 0) ::close(handle_);
}

std::uint64_t OutputFile::extend(std::uint64_t bytes) { return std::exchange(size_, size_ + bytes); }

void OutputFile::write(std::span<const std::byte> bytes) { write_at(extend(bytes.size()), bytes); }

void OutputFile::write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

void OutputFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  require(offset + bytes.size() <= size_, "bytes", offset, "to", offset + bytes.size(), "of",
          pending_.target().string(), "were never written");
  write_all(handle_, offset, bytes, pending_.target().string());
}

void OutputFile::write_at(std::uint64_t offset, std::string_view text) {
  write_at(offset, std::as_bytes(std::span(text.data(), text.size())));
}

void OutputFile::commit() {
  const int code = ::close(std::exchange(handle_, -1));
  const int error = errno;
  require(code == 0, "writing", pending_.target().string(), "failed:", std::strerror(error));
  pending_.commit();
}

}  // namespace kov
