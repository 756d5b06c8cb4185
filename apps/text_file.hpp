// SPDX-License-Identifier: MIT
//
// Small text files: rank 0 reads and writes, all ranks know.
#pragma once

#include "kov/core/comm.hpp"

#include <filesystem>
#include <string>

namespace kov::app {

/// Complete or absent.  Collective; throws InputError, on all ranks, when it cannot be written.
void write_text_file(const Comm& comm, const std::filesystem::path& path, const std::string& text);

/// The whole file, on all ranks.  Collective; throws InputError when it cannot be read or has more than 16 MiB.
std::string read_text_file(const Comm& comm, const std::filesystem::path& path);

}  // namespace kov::app
