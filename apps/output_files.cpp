// SPDX-License-Identifier: MIT
#include "apps/output_files.hpp"

#include "kov/core/error.hpp"
#include "kov/core/io/atomic_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace kov::app {

namespace fs = std::filesystem;

bool names_files(const std::string& prefix) {
  const fs::path name = fs::path(prefix).filename();
  return !name.empty() && name != "." && name != "..";
}

std::string canonical_file(const std::string& name) {
  struct stat there;
  if (stat(name.c_str(), &there) == 0) return sentence(there.st_dev, there.st_ino);
  std::error_code failed;
  const fs::path whole = fs::absolute(followed(name), failed), real = fs::weakly_canonical(whole, failed);
  return failed ? whole.lexically_normal().string() : real.string();
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
  if (file.empty()) return;
  names_.push_back(file);
  stems_.push_back(file);
}

void OutputFiles::add(const std::string& prefix, const std::vector<std::string>& endings) {
  require(names_files(prefix),
          "the prefix of the output files is '" + prefix + "', which names no file: give it a name, such as run1");
  for (const std::string& ending : endings) names_.push_back(prefix + ending);
  stems_.push_back(prefix);
}

std::vector<std::string> OutputFiles::lock_files() const {
  std::vector<std::string> files;
  for (const std::string& stem : stems_) {
    const fs::path target = followed(stem);
    // A name has at most 255 bytes.
    const std::string file = (target.parent_path() / (target.filename().string().substr(0, 250) + ".lock")).string();
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  }
  return files;
}

std::vector<OutputLock> OutputFiles::lock(const Session& session) const {
  std::vector<OutputLock> locks;
  bool all = true;
  session.comm.agree([&] {
    if (session.comm.rank() != 0) return;
    for (const std::string& file : lock_files()) {
      locks.emplace_back(file, session.command_line);
      all = all && locks.back().held();
    }
  });
  if (!all)
    session.warn("the file system has no locks: start no other run with the same outputs before this one has ended");
  return locks;
}

void OutputFiles::require_usable(const Session& session, const std::vector<std::string>& read) const {
  const auto look = [&] {
    std::vector<std::string> written = names_;
    written.insert(written.end(), folders_.begin(), folders_.end());
    for (const std::string& file : lock_files()) written.push_back(file);
    if (!session.log_file.empty()) written.push_back(session.log_file);
    std::map<std::string, std::string> inputs, outputs;  // by the file that they are
    for (const std::string& name : read)
      if (!name.empty()) inputs.emplace(canonical_file(name), name);
    for (const std::string& name : written) {
      const std::string file = canonical_file(name);
      const auto input = inputs.find(file);
      require(input == inputs.end(), name, "is to be written and", input == inputs.end() ? "" : input->second,
              "to be read, which are one file: it would be overwritten; give the output another name");
      const auto [other, is_new] = outputs.emplace(file, name);
      require(is_new, other->second,
              "is to be written twice" + (name == other->second ? "" : ", once as " + name) +
                  ": the first would be overwritten; give one of the two another name");
    }
    for (const std::string& name : names_) require_file(name);
    for (const std::string& name : folders_) require_or_plan_folder(name);
  };
  session.comm.agree([&] {
    if (session.comm.rank() == 0) look();
  });
}

}  // namespace kov::app
