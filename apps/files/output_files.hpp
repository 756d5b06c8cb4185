// SPDX-License-Identifier: MIT
//
// OutputFiles: the files that a run will write, checked before anything is computed.
#pragma once

#include "apps/files/output_lock.hpp"
#include "apps/program/command_line.hpp"
#include "apps/settings/suggest.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// The files and folders that a run will write.
class OutputFiles {
 public:
  /// A file; none where the name is empty.
  void add(const std::string& file);
  /// PREFIX + ending, for every ending.  Throws InputError for a prefix that names no file: empty, or with a slash at
  /// its end.
  void add(const std::string& prefix, const std::vector<std::string>& endings);
  /// A folder of files, which may be there; remedy: what to do where it cannot be used.
  void add_folder(const std::string& folder, const std::string& remedy) { folders_.push_back({folder, remedy}); }

  const std::vector<std::string>& names() const { return names_; }

  /// Throws InputError, on all ranks, when one of them cannot be made, when two of them, or one and the session's log,
  /// are one file under whatever names, or when one is among the files that are read.  Collective.
  void require_usable(const Session& session, const std::vector<std::string>& read = {}) const;

  /// Locks these outputs against other runs as long as the returned object lives: PREFIX.lock for the files of a
  /// prefix, FILE.lock for a file.  Throws InputError, on all ranks, when another run writes one of them, under
  /// whatever prefix.  Collective; rank 0 holds the locks.
  [[nodiscard]] std::vector<OutputLock> lock(const Session& session) const;

 private:
  std::vector<LockedFiles> locked_files() const;
  std::vector<OutputLock> take_locks(const std::string& command) const;

  struct Folder {
    std::string name, remedy;
  };

  std::vector<std::string> names_;
  std::vector<Folder> folders_;
  /// As they were added; a file has the ending "".
  std::vector<LockedFiles> added_;
};

/// Whether a prefix can name files: it is neither empty nor a folder.
bool names_files(const std::string& prefix);

/// A text that identifies the file behind a name: the same for all names of one file, which need not exist.
std::string canonical_file(const std::string& name);

}  // namespace kov::app
