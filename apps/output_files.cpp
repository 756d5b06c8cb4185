// SPDX-License-Identifier: MIT
#include "apps/output_files.hpp"

#include "kov/core/error.hpp"
#include "kov/core/io/atomic_file.hpp"

#include <filesystem>
#include <unistd.h>

namespace kov::app {

namespace fs = std::filesystem;

bool same_file(const std::string& a, const std::string& b) {
  std::error_code failed;
  if (fs::equivalent(a, b, failed)) return true;
  const auto place = [&](const std::string& name) {
    const fs::path whole = fs::absolute(followed(name), failed), real = fs::weakly_canonical(whole, failed);
    return failed ? whole.lexically_normal() : real;
  };
  return place(a) == place(b);
}

namespace {

void require_folder(const std::string& name, const fs::path& folder) {
  require(access(folder.c_str(), W_OK | X_OK) == 0, name, "cannot be written: the folder", folder.string(),
          "may not be written to; name another output");
}

void require_file(const std::string& name) {
  const PendingFile file(name);
  const fs::path folder = file.target().parent_path();
  require_folder(name, folder.empty() ? "." : folder);
}

/// A folder that is there or can be made.
void require_or_plan_folder(const std::string& name) {
  std::error_code none;
  fs::path folder = fs::absolute(name, none).lexically_normal();
  while (!fs::exists(folder, none) && folder.has_relative_path()) folder = folder.parent_path();
  require(fs::is_directory(folder, none), "the folder", name, "cannot be made:", folder.string(),
          "is a file; name another");
  require_folder(name, folder);
}

}  // namespace

void OutputFiles::add(const std::string& file) {
  if (!file.empty()) names_.push_back(file);
}

void OutputFiles::add(const std::string& prefix, const std::vector<std::string>& endings) {
  const fs::path name = fs::path(prefix).filename();
  require(!name.empty() && name != "." && name != "..",
          "the prefix of the output files is '" + prefix + "', which names no file: give it a name, such as run1");
  for (const std::string& ending : endings) names_.push_back(prefix + ending);
}

void OutputFiles::require_usable(const Session& session, const std::vector<std::string>& read) const {
  const auto look = [&] {
    std::vector<std::string> written = names_;
    written.insert(written.end(), folders_.begin(), folders_.end());
    if (!session.log_file.empty()) written.push_back(session.log_file);
    for (std::size_t i = 0; i < written.size(); ++i) {
      for (const std::string& input : read)
        require(input.empty() || !same_file(written[i], input), written[i], "is to be written and", input,
                "to be read, which are one file: it would be overwritten; give the output another name");
      for (std::size_t j = 0; j < i; ++j)
        require(!same_file(written[i], written[j]), written[j],
                "is to be written twice" + (written[i] == written[j] ? "" : ", once as " + written[i]) +
                    ": the first would be overwritten; give one of the two another name");
    }
    for (const std::string& name : names_) require_file(name);
    for (const std::string& name : folders_) require_or_plan_folder(name);
  };
  session.comm.agree([&] {
    if (session.comm.rank() == 0) look();
  });
}

std::string list_text(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

}  // namespace kov::app
