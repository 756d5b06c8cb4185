// SPDX-License-Identifier: MIT
#include "apps/files/file_patterns.hpp"

#include "apps/files/output_lock.hpp"
#include "apps/settings/shown.hpp"
#include "apps/settings/utf8.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <glob.h>
#include <memory>

namespace kov::app {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_pattern(const std::string& name) {
  std::error_code none;
  return name.find_first_of("*?[") != name.npos && !std::filesystem::exists(name, none);
}

/// For a pattern without matches: why a folder in it could not be read.
std::string unreadable(const std::string& pattern) {
  glob_t found{};
  errno = 0;
  const int code = ::glob(pattern.c_str(), GLOB_NOSORT | GLOB_ERR, nullptr, &found);
  const int error = errno;
  ::globfree(&found);
  return code == GLOB_ABORTED && error != 0 ? sentence(": a folder of it cannot be read:", std::strerror(error)) : "";
}

std::vector<std::string> matches(const std::string& pattern, const std::string& origin) {
  glob_t found{};
  const int code = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  const std::unique_ptr<glob_t, void (*)(glob_t*)> freed(&found, ::globfree);
  require(code != GLOB_NOSPACE, "there is no memory for the names of the files that match", pattern + ": name fewer");
  std::vector<std::string> files;
  for (std::size_t k = 0; k < found.gl_pathc; ++k) {
    const std::string file = found.gl_pathv[k];
    std::error_code none;
    if (std::filesystem::is_directory(file, none) || file.ends_with(lock_ending)) continue;
    require(is_utf8(file), origin, "has", pattern + ", which matches", file,
            "- its name is not UTF-8, in which settings are printed and recorded: rename it");
    require(!has_control_character(file), origin, "has", pattern + ", which matches", "'" + shown(file) + "'",
            "- its name has control characters, which would hide parts of it in files and messages: rename it");
    files.push_back(file);
  }
  require(!files.empty(), origin, "has", pattern + ",", "which matches no file" + unreadable(pattern));
  std::sort(files.begin(), files.end(), natural_less);
  return files;
}

}  // namespace

bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i, ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    const std::size_t begin_a = i, begin_b = j;
    while (i < a.size() && is_digit(a[i])) ++i;
    while (j < b.size() && is_digit(b[j])) ++j;
    if (i - begin_a != j - begin_b) return i - begin_a < j - begin_b;
    const int order = a.compare(begin_a, i - begin_a, b, begin_b, j - begin_b);
    if (order != 0) return order < 0;
  }
  if (a.size() - i != b.size() - j) return i == a.size();
  return a < b;  // equal but for leading zeros
}

std::vector<std::string> matched_files(const Comm& comm, const std::vector<std::string>& names,
                                       const std::string& origin) {
  if (std::none_of(names.begin(), names.end(),
                   [](const std::string& name) { return name.find_first_of("*?[") != name.npos; }))
    return names;
  std::string joined;  // each followed by a zero byte, which no name contains
  comm.agree([&] {
    if (comm.rank() != 0) return;
    for (const std::string& name : names)
      for (const std::string& file : is_pattern(name) ? matches(name, origin) : std::vector{name})
        joined += file + '\0';
  });
  joined = comm.broadcast(joined);
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin < joined.size();) {
    const std::size_t end = joined.find('\0', begin);
    files.push_back(joined.substr(begin, end - begin));
    begin = end + 1;
  }
  return files;
}

}  // namespace kov::app
