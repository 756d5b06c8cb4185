// SPDX-License-Identifier: MIT
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/base/memory.hpp"
#include "kov/core/field/view_extents.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kov::test {

/// Tests of bounds checks; skipped in builds without them and on GPUs.
class ViewBounds : public testing::Test {
 protected:
  void SetUp() override {
    if (!detail::checks_bounds || !unified_memory)
      GTEST_SKIP() << "NOT TESTED: only builds of the preset debug refuse accesses beyond bounds, on hosts";
  }
};

/// Fails unless this access is refused with a message that has all these parts.
template <class Access>
void expect_refused(const Access& access, const std::vector<std::string>& parts) {
  try {
    access();
    ADD_FAILURE() << "an access passed: " << testing::PrintToString(parts);
  } catch (const InputError& e) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what() << "\nhas no " << part;
  }
}

}  // namespace kov::test
