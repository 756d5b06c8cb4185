// SPDX-License-Identifier: MIT
//
// OutputLock: keeps two runs from writing outputs of one name at the same time.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kov::app {

/// Of the names of locks.
inline constexpr const char* lock_ending = ".lock";

/// Files of one run that share the beginning of their names and are locked together.
struct LockedFiles {
  std::filesystem::path stem;
  /// What follows the stem in their names.  A number of four digits and more stands for all of these.
  std::vector<std::string> endings;

  /// STEM.lock, cut to the 255 bytes that a name may have.
  std::filesystem::path lock() const;
};

/// A file STEM.lock that one process holds at a time, with lines that say which files it writes and who it is: host,
/// process, since when, command.
///
/// It is held by flock, so the lock ends with the process however that ends; the file of a killed run stays behind and
/// the next run takes it over.  On NFS Linux passes the lock on to the server, which ends it when the client is given
/// up.  Where a file system has no locks, held() is false and nothing is kept apart.
class OutputLock {
 public:
  /// Throws an InputError that names the holder if another process has it, or if the file is not a lock of kovariant.
  OutputLock(const LockedFiles& files, const std::string& command);
  /// Removes the file and lets go.
  ~OutputLock();
  OutputLock(OutputLock&&) noexcept;
  OutputLock& operator=(OutputLock&&) = delete;

  bool held() const;
  /// Whether the open file is this lock.
  bool is(int handle) const;

 private:
  class File;
  std::unique_ptr<File> held_;
};

/// Folders of locks, in which one process at a time takes and looks at locks: of runs that begin together the first
/// goes on, and none is refused because of one that is refused itself.  Held by flock on the folders, for milliseconds.
class FolderLocks {
 public:
  /// Waits for other runs, for a second in all: whatever holds a folder for longer is not a run of kovariant.
  explicit FolderLocks(const std::vector<LockedFiles>& all);
  ~FolderLocks();
  FolderLocks(const FolderLocks&) = delete;
  FolderLocks& operator=(const FolderLocks&) = delete;

  /// Whether nobody else takes locks in them now.  Not on NFS, where folders cannot be locked.
  bool held() const { return held_; }

 private:
  std::vector<int> handles_;
  bool held_ = true;
};

/// Why these files cannot be written now: a lock that another process holds says that it writes one of them.  Empty
/// when none does.  `own` locks do not count.  Looks at all locks of the folder, as a.0001.txt may belong to a.lock,
/// a.0001.lock and a.0001.txt.lock.
std::string other_writer(const LockedFiles& files, const std::vector<OutputLock>& own);

}  // namespace kov::app
