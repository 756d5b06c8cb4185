// SPDX-License-Identifier: MIT
//
// Lock files beside outputs: held by another run, whose text is quoted, and left behind by one.
#include "apps/files/output_lock.hpp"
#include "kov/core/base/error.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace kov::fuzz {

namespace {
/// What is locked by the file.
app::LockedFiles files_of(std::filesystem::path lock) { return {lock.replace_extension(), {".txt", ".0001.lime"}}; }
}  // namespace

std::vector<std::string> seeds() {
  return {written([](const std::filesystem::path& file) {
            const app::LockedFiles files = files_of(file);
            const app::OutputLock lock(files, "kovariant flow x.lime --output x");
            std::filesystem::copy_file(files.lock(), file);
          }),
          ""};
}

void read(const std::string& input) {
  const auto file = in_memory(input, "/x.lock");
  const app::LockedFiles files = files_of(file);
  const int other = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  ::flock(other, LOCK_EX);
  try {
    app::OutputLock(files, "");
  } catch (const Error&) {
  }
  app::other_writer({files.stem.string() + ".txt", {""}}, {});
  ::close(other);
  app::OutputLock(files, "kovariant flow");
}

}  // namespace kov::fuzz
