// SPDX-License-Identifier: MIT
//
// Names of files with * ? [], as a shell has them.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// Every pattern replaced by the files that it matches now, in natural order; other names, and patterns that are the
/// name of a file, stay.  Folders are no files, and names that end in .lock are left out: they are locks of outputs.
/// Throws InputError, which begins with `origin`, for a pattern that matches none, and for a file whose name is no
/// UTF-8.  Collective: rank 0 looks.
std::vector<std::string> matched_files(const Comm& comm, const std::vector<std::string>& names,
                                       const std::string& origin);

/// Whether a comes before b in natural order: numbers in names count as numbers, so that conf.9 is before conf.10.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace kov::app
