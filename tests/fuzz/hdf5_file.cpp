// SPDX-License-Identifier: MIT
#include "tests/fuzz/hdf5_file.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/io/checksum.hpp"
#include "kov/core/io/user_block.hpp"

namespace kov::fuzz {

namespace {

/// Whether the file has a user block that is not the right one.
bool has_wrong_block(const std::filesystem::path& file) {
  try {
    detail::verify_user_block(Comm::self(), file);
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

std::string without_user_block(const std::string& bytes) { return bytes.substr(detail::user_block_bytes); }

std::filesystem::path hdf5_in_memory(const std::string& input) {
  const auto file = in_memory(input);
  const bool ours = crc32(std::as_bytes(std::span(input.data(), input.size()))) % 2;
  const bool has_block = !input.empty() && detail::has_user_block(InputFile(file));
  must_be_refused(has_block && has_wrong_block(file));
  if (!ours || input.empty() || has_block) return file;
  in_memory(std::string(detail::user_block_bytes, '\0') + input);
  detail::write_user_block(file, "input");
  return file;
}

}  // namespace kov::fuzz
