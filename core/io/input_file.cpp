// SPDX-License-Identifier: MIT
#include "kov/core/io/input_file.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kov {

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
  // Looked at before it is opened: opening a pipe would wait for a writer.
  struct stat status {};
  int error = ::stat(path.c_str(), &status) == 0 ? 0 : errno;
  require(error == 0, "cannot read", name() + ":", std::strerror(error));
  require<FormatError>(!S_ISDIR(status.st_mode), name(), "is a folder, not a file: name a file in it");
  require<FormatError>(S_ISREG(status.st_mode), name(),
                       "is a device or pipe, which cannot be read at any offset: copy it to a file");
  require<FormatError>(status.st_size > 0, name(), "is empty (0 bytes): fetch it again");
  handle_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  error = errno;
  require(handle_ >= 0, "cannot open", name(), "for reading:", std::strerror(error));
  size_ = std::uint64_t(status.st_size);
}

InputFile::~InputFile() {
  if (handle_ >= 0) ::close(handle_);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  require<FormatError>(bytes.size() <= size_ && offset <= size_ - bytes.size(), name(), "ends at byte", size_,
                       "where bytes", offset, "to", offset + bytes.size(),
                       "are needed: it is truncated; fetch it again");
  std::size_t done = 0;
  while (done < bytes.size()) {
    // Linux transfers at most 2 GiB at a time.
    const std::size_t some = std::min<std::size_t>(bytes.size() - done, std::size_t(1) << 30);
    const ssize_t n = ::pread(handle_, bytes.data() + done, some, off_t(offset + done));
    const int error = errno;
    if (n < 0 && error == EINTR) continue;
    require(n >= 0, "reading", name(), "at byte", offset + done, "failed:", std::strerror(error));
    require<FormatError>(n > 0, name(), "ended at byte", offset + done,
                         "while it was read: something else is changing it");
    done += std::size_t(n);
  }
}

std::string InputFile::text(std::uint64_t offset, std::uint64_t length) const {
  if (offset >= size_) return {};
  std::string result(std::size_t(std::min(length, size_ - offset)), '\0');
  read(offset, std::as_writable_bytes(std::span(result.data(), result.size())));
  return result;
}

}  // namespace kov
