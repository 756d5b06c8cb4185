// SPDX-License-Identifier: MIT
#include "apps/settings/formula.hpp"
#include "kov/core/base/error.hpp"

#include <ctime>
#include <cmath>
#include <gtest/gtest.h>

namespace kov::app {

TEST(Formula, HasTheValueOfItsText) {
  const double x = 1.7;
  const std::vector<std::pair<std::string, double>> cases{
      {"3", 3},
      {"p2", x},
      {" 1 + 2 * p2 ", 1 + 2 * x},
      {"(1 + 2) * p2", 3 * x},
      {"8 / 4 / 2", 1},
      {"8 - 4 - 2", 2},
      {"-2^2^3", -256},
      {"2^-1", 0.5},
      {"--p2", x},
      {"1.5e-1*p2", 0.15 * x},
      {"exp(-p2 * 3^2 / 2)", std::exp(-x * 4.5)},
      {"(p2 - 3) * exp(-2*p2)", (x - 3) * std::exp(-2 * x)},
      {"erfc((p2 - 1) / 0.25) / 2", 0.5 * std::erfc((x - 1) / 0.25)},
      {"sqrt(p2) + log(p2) + sin(pi) + cos(0) + tanh(p2) + erf(p2) + abs(-p2)",
       std::sqrt(x) + std::log(x) + std::sin(3.14159265358979323846) + 1 + std::tanh(x) + std::erf(x) + x},
  };
  for (const auto& [text, value] : cases) EXPECT_DOUBLE_EQ(parse_formula(text, "p2", "it")(x), value) << text;
}

std::string problem(const std::string& text) {
  try {
    parse_formula(text, "p2", "--formula");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Formula, SaysWhereItGoesWrong) {
  for (const auto& [text, part] :
       std::vector<std::pair<std::string, std::string>>{{"", "at character 1"},
                                                        {"1 +", "ends where"},
                                                        {"exp p2", "lacks a '('"},
                                                        {"exp(p2", "lacks a ')'"},
                                                        {"2 p2", "cannot continue with 'p2'"},
                                                        {"1 + $", "has '$'"},
                                                        {"\u00e9", "has '\u00e9' where"},
                                                        {"1 + '\u00e9' + $", "at character 5"},
                                                        {"exq(p2)", "did you mean 'exp'?"},
                                                        {"p3", "did you mean 'p2'?"},
                                                        {"1)", "cannot continue with ')'"},
                                                        {std::string(9999, '('), "nested"},
                                                        {std::string(9999, '-'), "nested"}}) {
    EXPECT_NE(problem(text).find(part), std::string::npos) << problem(text);
    EXPECT_NE(problem(text).find("--formula is '"), std::string::npos);
  }
}

// If every operator copied the text before it, this would take a processor a minute.
TEST(Formula, TakesTimeInProportionToItsLength) {
  std::string text = "0";
  const int terms = 100000;
  for (int k = 1; k <= terms; ++k) text += k % 2 ? " + 2 * p2" : " - p2 / 2";
  const std::clock_t begin = std::clock();
  const auto f = parse_formula(text, "p2", "it");
  double sum = 0;
  for (int k = 0; k < 20; ++k) sum += f(k);
  EXPECT_NEAR(sum, 190 * (terms / 2) * 1.5, 1e-6);
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 5.0);
  const auto copy = f;
  EXPECT_EQ(copy(3), f(3));
}

}  // namespace kov::app
