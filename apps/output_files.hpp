// SPDX-License-Identifier: MIT
//
// OutputFiles: what a run is going to write, looked at before anything is computed.
#pragma once

#include "kov/core/comm.hpp"

#include <string>
#include <vector>

namespace kov::app {

class OutputFiles {
 public:
  /// A file; none where the name is empty.
  void add(const std::string& file);
  /// PREFIX + ending, for every ending.  Throws InputError for a prefix that is empty or ends in a slash.
  void add(const std::string& prefix, const std::vector<std::string>& endings);

  const std::vector<std::string>& names() const { return names_; }

  /// Throws InputError, on all ranks, when one of the files cannot be made, when two of them are one file under
  /// whatever names, or when one is among the files that are read.  Collective.
  void require_usable(const Comm& comm, const std::vector<std::string>& read = {}) const;

 private:
  std::vector<std::string> names_;
};

/// "a, b and c"
std::string list_text(const std::vector<std::string>& words);

}  // namespace kov::app
