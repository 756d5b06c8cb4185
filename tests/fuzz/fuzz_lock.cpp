// SPDX-License-Identifier: MIT
//
// Lock files beside outputs: held by another run, whose text is quoted, and left behind by one.
#include "apps/output_lock.hpp"
#include "kov/core/error.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace kov::fuzz {

std::vector<std::string> seeds() {
  return {written([](const std::filesystem::path& file) {
            const app::OutputLock lock(file, "kovariant flow x.lime --output x");
            std::filesystem::copy_file(file, file.string() + ".copy");
            std::filesystem::rename(file.string() + ".copy", file);
          }),
          ""};
}

void read(const std::string& input) {
  const auto file = in_memory(input);
  const int other = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  ::flock(other, LOCK_EX);
  try {
    app::OutputLock(file, "");
  } catch (const Error&) {
  }
  ::close(other);
  app::OutputLock(file, "kovariant flow");
}

}  // namespace kov::fuzz
