// SPDX-License-Identifier: MIT
#include "kov/core/io/user_block.hpp"

#include "kov/core/error.hpp"
#include "kov/core/host_threads.hpp"
#include "kov/core/io/checksum.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace kov::detail {

namespace {

constexpr std::string_view block_title = "Kovariant HDF5 1", signature{"\x89HDF\r\n\x1a\n", 8};
constexpr std::uint64_t block_bytes = 65536;

std::string block_of(const InputFile& file) {
  const std::uint64_t length = file.size() - user_block_bytes;
  struct Share {
    SiteChecksum sum{ChecksumKind::scidac, std::endian::big};
    std::vector<std::byte> bytes;
  };
  std::vector<Share> shares(n_host_threads());
  on_host_threads("user_block", std::int64_t((length + block_bytes - 1) / block_bytes),
                  [&](std::int64_t i, int thread) {
                    Share& mine = shares[std::size_t(thread)];
                    const std::uint64_t start = std::uint64_t(i) * block_bytes;
                    mine.bytes.resize(std::size_t(std::min(block_bytes, length - start)));
                    file.read(user_block_bytes + start, mine.bytes);
                    mine.sum.add(i, mine.bytes);
                  });
  SiteChecksum sum(ChecksumKind::scidac, std::endian::big);
  for (const Share& share : shares) sum.merge(share.sum);
  std::string text = std::string(block_title) + "\nlength " + std::to_string(length);
  const auto names = checksum_names(sum.kind());
  for (std::size_t i = 0; i < 2; ++i) text += "\n" + names[i] + " " + to_hex(sum.values()[i]);
  return text + "\n";
}

}  // namespace

bool has_user_block(const InputFile& file) {
  return file.text(user_block_bytes, signature.size()) == signature || file.text(0, block_title.size()) == block_title;
}

void verify_user_block(const InputFile& file) {
  const char* const remedy =
      "it is damaged or cut short, fetch it again; if another program changed it on purpose, take the block away: "
      "h5unjam --delete -i FILE -o NEW";
  require<FormatError>(file.size() > user_block_bytes, file.name(), "ends within its user block:", remedy);
  const std::string found = file.text(0, user_block_bytes);
  std::string expected = block_of(file);
  const std::size_t lines = expected.size();
  expected.resize(user_block_bytes, '\0');
  require<FormatError>(found == expected, file.name(), "records", in_quotes(found.substr(0, lines)),
                       "in its user block and has", in_quotes(expected.substr(0, lines)) + ":", remedy);
}

void write_user_block(const std::filesystem::path& path, const std::string& name) {
  std::string block = block_of(InputFile(path));
  block.resize(user_block_bytes, '\0');
  const int handle = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  int error = errno;
  require(handle >= 0, "cannot open", path.string(), "for writing:", std::strerror(error));
  const ssize_t n = ::pwrite(handle, block.data(), block.size(), 0);
  error = n < 0 ? errno : EIO;
  const int code = ::close(handle);
  if (n == ssize_t(block.size()) && code < 0) error = errno;
  require(n == ssize_t(block.size()) && code == 0, "writing the user block of", name, "failed:", std::strerror(error));
}

}  // namespace kov::detail
