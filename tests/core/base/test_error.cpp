// SPDX-License-Identifier: MIT
//
// Errors carry their text, their kind and the source location of their caller.
#include "kov/core/base/error.hpp"

#include <gtest/gtest.h>
#include <type_traits>

namespace kov {
namespace {

TEST(Sentence, PutsOneBlankBetweenItsParts) {
  EXPECT_EQ(sentence("alone"), "alone");
  EXPECT_EQ(sentence("extent", 7, "is odd:", 1.5, 'x', std::string("y")), "extent 7 is odd: 1.5 x y");
}

TEST(Sentence, PutsNoBlankBeforeALiteralThatBeginsWithPunctuation) {
  EXPECT_EQ(sentence("a", 1, ", b", 2, "; c", 3, ": d"), "a 1, b 2; c 3: d");
  EXPECT_EQ(sentence("the file", std::string(":odd"), "is read"), "the file :odd is read");
  const char* const variable = ":0:1";
  EXPECT_EQ(sentence("it is", variable, "where"), "it is :0:1 where");
}

TEST(Require, DoesNothingWhereTheConditionHolds) { EXPECT_NO_THROW(require(true, "never said")); }

TEST(Require, ThrowsTheSentenceAndThePlaceOfItsCaller) {
  const unsigned line = __LINE__ + 2;
  try {
    require(1 + 1 == 3, "two is not", 3);
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "two is not 3");
    EXPECT_EQ(error.where().line(), line);
    EXPECT_NE(std::string(error.where().file_name()).find("test_error.cpp"), std::string::npos);
    EXPECT_NE(std::string(error.where().function_name()).find("TestBody"), std::string::npos);
  }
}

TEST(Errors, KnowWhereTheyWereMade) {
  const unsigned line = __LINE__ + 1;
  const FormatError error("text");
  EXPECT_EQ(error.where().line(), line);
  EXPECT_STREQ(error.what(), "text");
}

template <class E>
void expect_kind() {
  static_assert(std::is_base_of_v<Error, E> && std::is_base_of_v<std::runtime_error, E>);
  EXPECT_THROW(require<E>(false, "problem"), E);
  try {
    require<E>(false, "problem");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "problem");
  }
}

TEST(Errors, OfEveryKindAreErrors) {
  expect_kind<InputError>();
  expect_kind<FormatError>();
  expect_kind<ConvergenceError>();
  expect_kind<CommError>();
  expect_kind<NotBuilt>();
}

}  // namespace
}  // namespace kov
