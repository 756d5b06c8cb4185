// SPDX-License-Identifier: MIT
//
// Small text files: rank 0 reads and writes, all ranks know.
#pragma once

#include "kov/core/comm/comm.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace kov::app {

/// Complete or absent.  Collective; throws InputError, on all ranks, when it cannot be written.
void write_text_file(const Comm& comm, const std::filesystem::path& path, const std::string& text);

/// The whole file, on all ranks.  Collective; throws InputError when it cannot be read or has more bytes than
/// `longest`.
std::string read_text_file(const Comm& comm, const std::filesystem::path& path, std::uint64_t longest = 16 << 20);

}  // namespace kov::app
