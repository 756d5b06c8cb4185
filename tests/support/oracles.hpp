// SPDX-License-Identifier: MIT
//
// Numbers that other codes computed.
#pragma once

#include "tests/core/io/io_support.hpp"

#include <nlohmann/json.hpp>

namespace kov::test {

inline nlohmann::json oracle(const char* name) {
  return nlohmann::json::parse(bytes_of(data_folder() / "oracles" / name));
}

/// The configurations that entries of plaquettes.json are about.
inline std::vector<std::string> files_of(const nlohmann::json& entries) {
  std::vector<std::string> files;
  for (const auto& entry : entries) files.push_back(entry.at("file"));
  return files;
}

}  // namespace kov::test
