// SPDX-License-Identifier: MIT
#include "apps/files/text_file.hpp"

#include "kov/core/io/atomic_file.hpp"
#include "kov/core/io/input_file.hpp"

namespace kov::app {

void write_text_file(const Comm& comm, const std::filesystem::path& path, const std::string& text) {
  comm.agree([&] {
    if (comm.rank() != 0) return;
    OutputFile file(path);
    file.write(text);
    file.commit();
  });
}

std::string read_text_file(const Comm& comm, const std::filesystem::path& path, std::uint64_t longest) {
  std::string text;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    std::error_code failed;
    if (std::filesystem::is_regular_file(path, failed) && std::filesystem::is_empty(path, failed)) return;
    const InputFile file(path);
    require(file.size() <= longest, file.name(), "has", file.size(),
            "bytes, but a text file of this program has at most", longest);
    text = file.text(0, file.size());
  });
  return comm.broadcast(text);
}

}  // namespace kov::app
