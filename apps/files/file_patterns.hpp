// SPDX-License-Identifier: MIT
//
// File names with the wildcards * ? [] of a shell.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// Replaces every pattern by the files that it matches now, in natural order; other names, and patterns that are
/// themselves the name of a file, are kept.  Folders are skipped, and so are names that end in .lock, the locks of
/// outputs.  Throws InputError, which begins with `origin`, for a pattern without matches and for a file whose name is
/// not UTF-8.  Collective: rank 0 reads the folders.
std::vector<std::string> matched_files(const Comm& comm, const std::vector<std::string>& names,
                                       const std::string& origin);

/// Whether a comes before b in natural order: numbers in names count as numbers, so that conf.9 is before conf.10.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace kov::app
