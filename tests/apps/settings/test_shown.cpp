// SPDX-License-Identifier: MIT
#include "apps/settings/shown.hpp"
#include "kov/core/base/error.hpp"

#include <gtest/gtest.h>

namespace kov::app {

TEST(Shown, ControlCharactersAreEscaped) {
  EXPECT_EQ(shown("a b"), "a b");
  EXPECT_EQ(shown(std::string("a\0b\x1b[2J\n\x7f", 9)), "a\\u0000b\\u001B[2J\\u000A\\u007F");
  EXPECT_EQ(shown("caf\u00e9"), "caf\u00e9");
}

TEST(Shown, LongTextsLoseTheirMiddle) {
  const std::string text = std::string(60, 'a') + std::string(5000, 'x') + std::string(60, 'z');
  const std::string found = shown(text);
  EXPECT_EQ(found, std::string(50, 'a') + " [... 5045 bytes ...] " + std::string(25, 'z'));
  EXPECT_EQ(shown(std::string(100, 'x')), std::string(100, 'x'));
  std::string accents;
  for (int k = 0; k < 101; ++k) accents += "\u00e9";
  const std::string shortened = shown("x" + accents);
  EXPECT_EQ(shortened.substr(shortened.size() - 24), accents.substr(0, 24)) << "no character is cut";
}

TEST(Shown, TextsWithControlCharactersAreRefused) {
  EXPECT_FALSE(has_control_character("caf\u00e9 \\u0000"));
  EXPECT_NO_THROW(require_no_control_character("OUT", "a.lime"));
  try {
    require_no_control_character("OUT", std::string("a\0.lime", 7));
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("OUT is 'a\\u0000.lime', which has control characters"), 0u)
        << error.what();
  }
}

}  // namespace kov::app
