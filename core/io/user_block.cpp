// SPDX-License-Identifier: MIT
#include "kov/core/io/user_block.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/base/host_threads.hpp"
#include "kov/core/io/checksum.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace kov::detail {

namespace {

constexpr std::string_view block_title = "Kovariant HDF5 1", signature{"\x89HDF\r\n\x1a\n", 8};
constexpr std::uint64_t block_bytes = 65536;

/// The block that the file should have; each rank reads its part.  Collective.
std::string block_of(const Comm& comm, const InputFile& file) {
  const std::uint64_t length = file.size() - user_block_bytes;
  const auto n = std::int64_t((length + block_bytes - 1) / block_bytes);
  const std::int64_t first = n * comm.rank() / comm.size(), end = n * (comm.rank() + 1) / comm.size();
  ThreadChecksums sums(ChecksumKind::scidac, std::endian::big);
  comm.agree([&] {
    on_host_threads("user_block", end - first, [&](std::int64_t i, int thread) {
      ThreadChecksums::Share& mine = sums.of(thread);
      const std::uint64_t start = std::uint64_t(first + i) * block_bytes;
      mine.bytes.resize(std::size_t(std::min(block_bytes, length - start)));
      file.read(user_block_bytes + start, mine.bytes);
      mine.checksum.add(first + i, mine.bytes);
    });
  });
  SiteChecksum sum = sums.sum();
  sum.combine(comm);
  std::string text(block_title);
  text += "\nlength " + std::to_string(length);
  const auto names = checksum_names(sum.kind());
  for (std::size_t i = 0; i < 2; ++i) text += "\n" + names[i] + " " + to_hex(sum.values()[i]);
  return text + "\n";
}

}  // namespace

bool has_user_block(const InputFile& file) {
  return file.text(user_block_bytes, signature.size()) == signature || file.text(0, block_title.size()) == block_title;
}

void verify_user_block(const Comm& comm, const std::filesystem::path& path) {
  const char* const remedy =
      "it is damaged or cut short; fetch it again, or if another program changed it on purpose, remove the block: "
      "h5unjam --delete -i FILE -o NEW";
  std::optional<InputFile> file;
  std::int64_t ours = 0;
  comm.agree([&] {
    file.emplace(path);
    ours = has_user_block(*file);
  });
  comm.max(std::span(&ours, 1));  // a file that changes now may look different to each rank
  if (!ours) return;
  comm.agree([&] {
    require<FormatError>(file->size() > user_block_bytes, file->name(), "ends within its user block:", remedy);
  });
  std::string expected = block_of(comm, *file);
  comm.agree([&] {
    const std::string found = file->text(0, user_block_bytes);
    const std::size_t lines = expected.size();
    expected.resize(user_block_bytes, '\0');
    require<FormatError>(found == expected, file->name(), "records", in_quotes(found.substr(0, lines)),
                         "in its user block and has", in_quotes(expected.substr(0, lines)) + ":", remedy);
  });
}

void write_user_block(const std::filesystem::path& path, const std::string& name) {
  std::string block = block_of(Comm::self(), InputFile(path));
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
