// SPDX-License-Identifier: MIT
//
// OutputLock: keeps two runs from writing outputs of one name at the same time.
#pragma once

#include <memory>
#include <string>

namespace kov::app {

/// A file that one process holds at a time, with lines that say who: host, process, since when, command.
///
/// It is held by flock, so the lock ends with the process however that ends; the file of a killed run stays behind and
/// the next run takes it over.  On NFS Linux passes the lock on to the server, which ends it when the client is given
/// up.  Where a file system has no locks, held() is false and nothing is kept apart.
class OutputLock {
 public:
  /// Throws InputError that quotes the holder when another process has it, or when the file is none of ours.
  OutputLock(const std::string& file, const std::string& command);
  /// Removes the file and lets go.
  ~OutputLock();
  OutputLock(OutputLock&&) noexcept;
  OutputLock& operator=(OutputLock&&) = delete;

  bool held() const;

 private:
  class File;
  std::unique_ptr<File> held_;
};

}  // namespace kov::app
