// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace kov::test {

/// Sets KOVARIANT_TUNE for the life of this object; no value: unset.
class TuneFile {
 public:
  explicit TuneFile(const std::optional<std::filesystem::path>& path) {
    if (const char* before = std::getenv("KOVARIANT_TUNE")) before_ = before;
    path ? setenv("KOVARIANT_TUNE", path->c_str(), 1) : unsetenv("KOVARIANT_TUNE");
  }
  ~TuneFile() { before_ ? setenv("KOVARIANT_TUNE", before_->c_str(), 1) : unsetenv("KOVARIANT_TUNE"); }
  TuneFile(const TuneFile&) = delete;
  TuneFile& operator=(const TuneFile&) = delete;

 private:
  std::optional<std::string> before_;
};

}  // namespace kov::test
