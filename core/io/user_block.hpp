// SPDX-License-Identifier: MIT
//
// The user block of our HDF5 files: 512 bytes before the HDF5 data that the HDF5 library passes over, with the length
// and checksum of what follows.  They are compared before the library sees the file, because it can crash on damage.
//
//   Kovariant HDF5 1            this line, then one line each:
//   length 1048576              bytes from byte 512 to the end of the file
//   suma 0123abcd               SciDAC's pair of checksums over blocks of 65536 bytes from byte 512 on: xor of the
//   sumb 4567ef01               blocks' crc32, rotated left by the block's index modulo 29 (suma) and 31 (sumb)
//
// and zeros up to byte 512.
#pragma once

#include "kov/core/comm/comm.hpp"
#include "kov/core/io/input_file.hpp"

#include <filesystem>
#include <string>

namespace kov::detail {

inline constexpr std::uint64_t user_block_bytes = 512;

/// Whether the file has HDF5's signature at byte 512, or our block at its beginning: then it must verify.
bool has_user_block(const InputFile& file);

/// Throws FormatError unless length and checksum are those recorded, where the file has a user block.  Reads the whole
/// file, by all threads of all ranks, each rank its part.  Collective.
void verify_user_block(const Comm& comm, const std::filesystem::path& path);

/// Writes the block of a file that is complete and closed.  name: for messages.
void write_user_block(const std::filesystem::path& path, const std::string& name);

}  // namespace kov::detail
