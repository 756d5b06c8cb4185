// SPDX-License-Identifier: MIT
#include "apps/settings/formula.hpp"

#include "apps/settings/shown.hpp"
#include "apps/settings/suggest.hpp"
#include "apps/settings/utf8.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

namespace kov::app {

namespace {

struct Named {
  const char* name;
  double (*f)(double);
};
constexpr std::array<Named, 9> functions{{{"exp", [](double x) { return std::exp(x); }},
                                          {"log", [](double x) { return std::log(x); }},
                                          {"sqrt", [](double x) { return std::sqrt(x); }},
                                          {"sin", [](double x) { return std::sin(x); }},
                                          {"cos", [](double x) { return std::cos(x); }},
                                          {"tanh", [](double x) { return std::tanh(x); }},
                                          {"erf", [](double x) { return std::erf(x); }},
                                          {"erfc", [](double x) { return std::erfc(x); }},
                                          {"abs", [](double x) { return std::abs(x); }}}};

enum class Op { number, variable, add, subtract, multiply, divide, power, negate, call };

/// Pushes a number, or replaces the numbers on top of the stack by what it makes of them.
struct Step {
  Op op;
  double number = 0;
  double (*f)(double) = nullptr;
};

/// A formula in postfix order: as long as its text, and evaluated without recursion.
struct Formula {
  std::vector<Step> steps;
  /// Numbers on the stack at most.
  std::size_t depth = 0;

  double operator()(double x) const {
    std::vector<double> stack(depth);
    double* top = stack.data();  // one beyond the last number
    for (const Step& step : steps) switch (step.op) {
        case Op::number:
          *top++ = step.number;
          break;
        case Op::variable:
          *top++ = x;
          break;
        case Op::negate:
          top[-1] = -top[-1];
          break;
        case Op::call:
          top[-1] = step.f(top[-1]);
          break;
        default:
          --top;
          top[-1] = of_two(step.op, top[-1], *top);
      }
    return stack.front();
  }

 private:
  static double of_two(Op op, double a, double b) {
    switch (op) {
      case Op::add:
        return a + b;
      case Op::subtract:
        return a - b;
      case Op::multiply:
        return a * b;
      case Op::divide:
        return a / b;
      default:
        return std::pow(a, b);
    }
  }
};

/// Recursive descent: sum, product, sign, power, value, each made of the next.  Each appends its steps.
class Parser {
 public:
  Parser(const std::string& text, const std::string& variable, const std::string& what)
      : text_(text), variable_(variable), what_(what) {}

  Formula whole() {
    sum();
    if (peek() != 0) fail("cannot continue with '" + shown(text_.substr(at_), 40) + "'");
    return std::move(formula_);
  }

 private:
  static constexpr int deepest = 200;

  [[noreturn]] void fail(const std::string& problem) const {
    int character = 1;
    for (std::size_t at = 0; at < at_; at += length_at(at)) ++character;
    throw InputError(what_ + " is '" + shown(text_) + "', which " + problem + " at character " +
                     std::to_string(character) + ": write a formula in " + variable_ + " such as exp(-2 * " +
                     variable_ + ")");
  }
  /// Bytes of the character at a place; 1 where the bytes are no UTF-8.
  std::size_t length_at(std::size_t at) const { return std::max<std::size_t>(1, utf8_character(text_, at).length); }
  /// The next character that is no blank; 0 at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : char(0);
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void push(const Step& step) {
    formula_.steps.push_back(step);
    formula_.depth = std::max(formula_.depth, ++height_);
  }
  void combine(Op op) {
    formula_.steps.push_back({op});
    --height_;
  }

  void sum() {
    if (++depth_ > deepest) fail("is nested too deeply");
    product();
    for (;;) {
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      product();
      combine(plus ? Op::add : Op::subtract);
    }
    --depth_;
  }
  void product() {
    sign();
    for (;;) {
      const bool times = take('*');
      if (!times && !take('/')) return;
      sign();
      combine(times ? Op::multiply : Op::divide);
    }
  }
  void sign() {
    if (++depth_ > deepest) fail("is nested too deeply");
    if (take('-')) {
      sign();
      formula_.steps.push_back({Op::negate});
    } else if (take('+')) {
      sign();
    } else {
      power();
    }
    --depth_;
  }
  void power() {
    value();
    if (!take('^')) return;
    sign();
    combine(Op::power);
  }
  void value() {
    const char c = peek();
    if (take('(')) return bracketed();
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(c))) return name();
    fail(c == 0 ? "ends where a number, " + variable_ + " or a function should be"
                : "has '" + shown(text_.substr(at_, length_at(at_))) + "' where a number, " + variable_ +
                      " or a function should be");
  }
  /// After '('.
  void bracketed() {
    sum();
    if (!take(')')) fail("lacks a ')'");
  }
  void number() {
    double n = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
    if (error != std::errc()) fail("has a number that cannot be read");
    at_ = std::size_t(end - text_.data());
    push({Op::number, n});
  }
  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    if (word == variable_) return push({Op::variable});
    if (word == "pi") return push({Op::number, std::numbers::pi});
    std::vector<std::string> known{variable_, "pi"};
    for (const Named& named : functions) {
      if (word == named.name) {
        if (!take('(')) fail("lacks a '(' after " + word);
        bracketed();
        formula_.steps.push_back({Op::call, 0, named.f});
        return;
      }
      known.emplace_back(named.name);
    }
    at_ = begin;
    fail("names '" + shown(word, 40) + "', which does not exist" + did_you_mean(word, known));
  }

  const std::string &text_, &variable_, &what_;
  Formula formula_;
  std::size_t at_ = 0, height_ = 0;
  int depth_ = 0;
};

}  // namespace

std::function<double(double)> parse_formula(const std::string& text, const std::string& variable,
                                            const std::string& what) {
  // Copies of the function share the steps.
  return [formula = std::make_shared<const Formula>(Parser(text, variable, what).whole())](double x) {
    return (*formula)(x);
  };
}

}  // namespace kov::app
