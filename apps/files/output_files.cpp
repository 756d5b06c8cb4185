// SPDX-License-Identifier: MIT
#include "apps/files/output_files.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/io/atomic_file.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <sys/stat.h>
#include <thread>
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

void require_folder(const std::string& name, const fs::path& folder, const std::string& remedy) {
  require(access(folder.c_str(), W_OK | X_OK) == 0, name, "cannot be written: the folder", folder.string(),
          "may not be written to;", remedy);
}

void require_file(const std::string& name) {
  const PendingFile file(name);
  const fs::path folder = file.target().parent_path();
  require_folder(name, folder.empty() ? "." : folder, "name another output");
}

/// A folder that exists or can be created.
void require_or_plan_folder(const std::string& name, const std::string& remedy) {
  std::error_code none;
  fs::path folder = fs::absolute(name, none).lexically_normal();
  while (!fs::exists(folder, none) && folder.has_relative_path()) folder = folder.parent_path();
  require(fs::is_directory(folder, none), "the folder", name, "cannot be made:", folder.string(), "is a file;", remedy);
  require_folder(name, folder, remedy);
}

}  // namespace

void OutputFiles::add(const std::string& file) {
  if (file.empty()) return;
  names_.push_back(file);
  added_.push_back({file, {""}});
}

void OutputFiles::add(const std::string& prefix, const std::vector<std::string>& endings) {
  require(names_files(prefix),
          "the prefix of the output files is '" + prefix + "', which names no file: give it a name, such as run1");
  for (const std::string& ending : endings) names_.push_back(prefix + ending);
  added_.push_back({prefix, endings});
}

/// Grouped by lock; symbolic links are locked at their targets.
std::vector<LockedFiles> OutputFiles::locked_files() const {
  std::map<fs::path, LockedFiles> locks;  // by path, in which order all runs take them
  const auto add = [&locks](const fs::path& stem, const std::string& ending) {
    const LockedFiles files{stem, {}};
    std::error_code failed;
    const fs::path lock = fs::absolute(files.lock(), failed), folder = fs::weakly_canonical(lock.parent_path(), failed);
    locks.emplace(failed ? lock : folder / lock.filename(), files).first->second.endings.push_back(ending);
  };
  std::error_code none;
  for (const auto& [stem, endings] : added_)
    for (const std::string& ending : endings) {
      const fs::path file = stem.string() + ending;
      if (ending.empty() || fs::is_symlink(file, none))
        add(followed(file), "");
      else
        add(stem, ending);
    }
  std::vector<LockedFiles> list;
  for (auto& [lock, files] : locks) list.push_back(std::move(files));
  return list;
}

std::vector<OutputLock> OutputFiles::take_locks(const std::string& command) const {
  const std::vector<LockedFiles> all = locked_files();
  constexpr int longest = 640;
  for (int wait = 20;; wait *= 2) {
    const FolderLocks alone(all);
    std::vector<OutputLock> locks;
    for (const LockedFiles& files : all) locks.emplace_back(files, command);
    std::string problem;
    for (const LockedFiles& files : all)
      if (problem.empty()) problem = other_writer(files, locks);
    if (problem.empty()) return locks;
    // Where folders cannot be locked, two runs that start together may find each other's locks: the first one to try
    // again goes on.
    require(!alone.held() && wait <= longest, problem);
    locks.clear();
    std::random_device random;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution(1, wait)(random)));
  }
}

std::vector<OutputLock> OutputFiles::lock(const Session& session) const {
  std::vector<OutputLock> locks;
  session.comm.agree([&] {
    if (session.comm.rank() == 0) locks = take_locks(session.command_line);
  });
  if (!std::all_of(locks.begin(), locks.end(), [](const OutputLock& lock) { return lock.held(); }))
    session.warn("the file system has no locks: start no other run with the same outputs before this one has ended");
  return locks;
}

void OutputFiles::require_usable(const Session& session, const std::vector<std::string>& read) const {
  const auto look = [&] {
    std::vector<std::string> written = names_;
    for (const Folder& folder : folders_) written.push_back(folder.name);
    for (const LockedFiles& files : locked_files()) written.push_back(files.lock().string());
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
    for (const Folder& folder : folders_) require_or_plan_folder(folder.name, folder.remedy);
  };
  session.comm.agree([&] {
    if (session.comm.rank() == 0) look();
  });
}

}  // namespace kov::app
