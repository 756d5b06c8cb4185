// SPDX-License-Identifier: MIT
//
// How much memory there is where fields are, for plans that ask whether theirs fit.
#pragma once

#include <string>

namespace kov::app {

struct FieldMemory {
  /// "each host", "each GPU"
  std::string place;
  double bytes;
  /// Processes of this run that share it.
  int processes;
};

/// The memory of this process's GPU, or of its host; of a host no more than the process's control group may take.
FieldMemory field_memory();

}  // namespace kov::app
