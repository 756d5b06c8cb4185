// SPDX-License-Identifier: MIT
//
// A regular file opened for reading at any offset.  Every failure says which file, which bytes and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace kov {

/// Owns one read-only file handle.
class InputFile {
 public:
  /// Throws InputError when the file is missing or may not be read, FormatError when it is a folder, a device or empty.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// For messages.
  std::string name() const { return path_.empty() ? "''" : path_.string(); }
  std::uint64_t size() const { return size_; }

  /// Fills `bytes` from `offset` on; throws FormatError when the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

  /// `length` bytes from `offset` on, cut at the end of the file.
  std::string text(std::uint64_t offset, std::uint64_t length) const;

 private:
  std::filesystem::path path_;
  int handle_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace kov
