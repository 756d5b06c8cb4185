// SPDX-License-Identifier: MIT
#include "tests/fuzz/hdf5_file.hpp"

#include "kov/core/io/checksum.hpp"
#include "kov/core/io/user_block.hpp"

namespace kov::fuzz {

std::string without_user_block(const std::string& bytes) { return bytes.substr(detail::user_block_bytes); }

std::filesystem::path hdf5_in_memory(const std::string& input) {
  const auto file = in_memory(input);
  const bool ours = crc32(std::as_bytes(std::span(input.data(), input.size()))) % 2;
  if (!ours || input.empty() || detail::has_user_block(InputFile(file))) return file;
  in_memory(std::string(detail::user_block_bytes, '\0') + input);
  detail::write_user_block(file, "input");
  return file;
}

}  // namespace kov::fuzz
