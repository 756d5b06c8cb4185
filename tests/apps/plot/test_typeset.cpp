// SPDX-License-Identifier: MIT
#include "apps/plot/typeset.hpp"

#include <gtest/gtest.h>

namespace kov::app {

TEST(Typeset, SymbolsAreItalicWordsAndDigitsUpright) {
  EXPECT_EQ(typeset("a-b"), (TextLine{{"a-b"}}));
  EXPECT_EQ(typeset("time $t^2 E$"), (TextLine{{"time "}, {"t", true}, {"2", false, 1}, {" "}, {"E", true}}));
  EXPECT_EQ(typeset("$a m_{eff}$"), (TextLine{{"a", true}, {" "}, {"m", true}, {"eff", false, -1}}));
  EXPECT_EQ(typeset("$log W$"), (TextLine{{"log "}, {"W", true}}));
  EXPECT_EQ(typeset("$|ψ|$"), (TextLine{{"|"}, {"ψ", true}, {"|"}}));
  EXPECT_EQ(typeset("$sigma = 2$"), (TextLine{{"σ", true}, {" = 2"}}));
  EXPECT_EQ(typeset("$w_0^2$"), (TextLine{{"w", true}, {"0", false, -1}, {"2", false, 1}}));
  EXPECT_EQ(typeset("$p_x$"), (TextLine{{"p", true}, {"x", true, -1}}));
  EXPECT_EQ(typeset("$-1$"), (TextLine{{"−1"}}));
  for (const char* odd : {"$", "$^", "$_{", "$x^{2", "\\", "$\\"}) EXPECT_NO_THROW(typeset(odd)) << odd;
}

TEST(Typeset, PlainTextStaysAsItIs) {
  for (const std::string text : {"50$ \\^_{x}-y.lime", "$$", "é–ψ"})
    EXPECT_EQ(typeset(plain(text)), (TextLine{{text}}));
}

TEST(Typeset, PlainTextIsUtf8WithoutControlCharacters) {
  EXPECT_EQ(plain("caf\xe9.lime"), "caf\ufffd.lime");
  EXPECT_EQ(plain("é–ψ\U0001f600"), "é–ψ\U0001f600");
  EXPECT_EQ(plain("a\tb\nc\rd"), "a b c d");
  EXPECT_EQ(plain("a\x01\x7f"), "a\ufffd\ufffd");
  for (const std::string odd : {"\xe2\x88", "\xc0\xaf", "\xc3("}) EXPECT_EQ(plain(odd).substr(0, 3), "\ufffd") << odd;
  EXPECT_EQ(plain("\xc3("), "\ufffd(");
  const std::string three = "\ufffd\ufffd\ufffd";
  EXPECT_EQ(plain("\xed\xa0\x80"), three) << "half of a surrogate pair";
  EXPECT_EQ(plain("\xe0\x80\xaf"), three) << "longer than it need be";
  EXPECT_EQ(plain("\xef\xbf\xbf"), three) << "no character";
  EXPECT_EQ(plain("\xf4\x90\x80\x80"), three + "\ufffd") << "beyond U+10FFFF";
  EXPECT_EQ(plain("\xff\xfe\xf8"), three);
}

TEST(Typeset, NumbersHaveMinusSignsAndPowers) {
  const auto shown = [](double value, int decimals) { return characters(typeset(number_markup(value, decimals))); };
  EXPECT_EQ(number_markup(-0.25, 2), "$-0.25$");
  EXPECT_EQ(shown(-0.25, 2), "−0.25");
  EXPECT_EQ(shown(0, 1), "0.0");
  EXPECT_EQ(shown(12, 0), "12");
  EXPECT_EQ(number_markup(3e-8, 8), "$3×10^{-8}$");
  EXPECT_EQ(number_markup(1e-8, 8), "$10^{-8}$");
  EXPECT_EQ(number_markup(-2.5e7, 0), "$-2.5×10^{7}$");
  EXPECT_EQ(number_markup(0.3), "$0.3$");
  EXPECT_EQ(number_markup(1.5e-12), "$1.5×10^{-12}$");
}

TEST(Typeset, LongLinesAreBrokenBetweenWords) {
  EXPECT_TRUE(broken_lines({}, 50, 5).empty());
  EXPECT_EQ(broken_lines({{"short"}}, 50, 5), (std::vector<TextLine>{{{"short"}}}));
  std::string text;
  for (int k = 0; k < 60; ++k) text += (k ? " word" : "word") + std::to_string(k);
  const auto lines = broken_lines({{text}}, 50, 20);
  EXPECT_GT(lines.size(), 2u);
  std::string joined;
  for (const TextLine& line : lines) {
    EXPECT_LE(text_width(line), 50);
    if (!joined.empty()) joined += ' ';
    joined += characters(line);
  }
  EXPECT_EQ(joined, text);
  const auto cut = broken_lines({{text}}, 50, 2);
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_EQ(characters(cut[0]), characters(lines[0]));
  EXPECT_EQ(characters(cut[1]), characters(lines[1]) + " …");
  EXPECT_EQ(broken_lines({{std::string(150, 'x')}}, 60, 5).size(), 2u);
  EXPECT_EQ(broken_lines({{std::string(100000, 'x')}}, 60, 5).size(), 5u);
}

}  // namespace kov::app
