// SPDX-License-Identifier: MIT
//
// Output that is either complete or absent: it is written under a temporary name beside the target and renamed last.
// An exception in between leaves the old target, or none, and no temporary file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace kov {

/// Removes the temporary files of this process, whose owners then cannot commit.  Async-signal-safe: for the handler of
/// a signal that ends the program, see end_cleanly_on_signals().
void remove_temporary_files() noexcept;

/// Has remove_temporary_files() remove this file, too, while the object lives.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const std::filesystem::path& file);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

 private:
  int slot_;
};

/// Where a file of this name is written: symbolic links are followed, whether or not anything is at their end.
std::filesystem::path followed(const std::filesystem::path& target);

/// What went wrong when a write ended with this errno, and what helps: "No space left on device; free some or ...".
std::string reason_of_write(int error);

/// Writes all bytes at an offset of an open file.  name: for messages.  Throws InputError.
void write_all(int handle, std::uint64_t offset, std::span<const std::byte> bytes, const std::string& name);

/// Creates, commits or removes a temporary file; others write into it.
class PendingFile {
 public:
  /// Throws InputError when the target cannot become a file: its folder is missing, it is a folder or a device.  A
  /// symbolic link is followed.  Creates nothing.
  explicit PendingFile(const std::filesystem::path& target);
  /// Removes the temporary file unless committed.
  ~PendingFile();
  PendingFile(PendingFile&&) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& temporary() const { return temporary_; }

  /// Puts the temporary file's bytes on disk and gives it the target's name, replacing what was there.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  bool pending_ = true;
  /// Where remove_temporary_files() finds the name.
  int slot_ = -1;
};

/// A pending file written as bytes.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& target);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& target() const { return pending_.target(); }
  const std::filesystem::path& temporary() const { return pending_.temporary(); }
  /// Bytes appended so far.
  std::uint64_t size() const { return size_; }

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Appends this many bytes that write_at() will give their values, and says where they begin.
  std::uint64_t extend(std::uint64_t bytes);
  /// Overwrites bytes that were appended before.  Threads may call it at the same time.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  void write_at(std::uint64_t offset, std::string_view text);

  void commit();

 private:
  PendingFile pending_;
  int handle_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace kov
