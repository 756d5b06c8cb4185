// SPDX-License-Identifier: MIT
#include "apps/output_files.hpp"

#include "kov/core/error.hpp"
#include "kov/core/io/atomic_file.hpp"

#include <filesystem>
#include <unistd.h>

namespace kov::app {

namespace {

namespace fs = std::filesystem;

/// Whether two names are of one file, which need not be there.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code failed;
  if (fs::equivalent(a, b, failed)) return true;
  const auto place = [&](const std::string& name) {
    const fs::path real = fs::weakly_canonical(fs::absolute(name), failed);
    return failed ? fs::absolute(name).lexically_normal() : real;
  };
  return place(a) == place(b);
}

void require_writable(const std::string& name) {
  const PendingFile file(name);
  const fs::path path(name), folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  require(access(folder.c_str(), W_OK) == 0, name, "cannot be written: the folder", folder.string(),
          "may not be written to; name another output");
}

}  // namespace

void OutputFiles::add(const std::string& file) {
  if (!file.empty()) names_.push_back(file);
}

void OutputFiles::add(const std::string& prefix, const std::vector<std::string>& endings) {
  require(fs::path(prefix).has_filename(),
          "the prefix of the output files is '" + prefix + "', which names no file:", "give it a name, such as",
          prefix + "run1");
  for (const std::string& ending : endings) names_.push_back(prefix + ending);
}

void OutputFiles::require_usable(const Comm& comm, const std::vector<std::string>& read) const {
  comm.agree([&] {
    if (comm.rank() != 0) return;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      for (const std::string& input : read)
        require(input.empty() || !same_file(names_[i], input), names_[i], "is to be written and", input,
                "to be read, which are one file: it would be overwritten; give the output another name");
      for (std::size_t j = 0; j < i; ++j)
        require(!same_file(names_[i], names_[j]), names_[j], "and", names_[i],
                "are to be written, which are one file: the first would be overwritten; give one of them another name");
      require_writable(names_[i]);
    }
  });
}

std::string list_text(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

}  // namespace kov::app
