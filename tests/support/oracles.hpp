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

}  // namespace kov::test
