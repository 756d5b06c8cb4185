// SPDX-License-Identifier: MIT
#include "apps/formula.hpp"

#include "apps/suggest.hpp"
#include "kov/core/error.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

namespace kov::app {

namespace {

using Function = std::function<double(double)>;

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

/// Recursive descent: sum, product, sign, power, value, each made of the next.
class Parser {
 public:
  Parser(const std::string& text, const std::string& variable, const std::string& what)
      : text_(text), variable_(variable), what_(what) {}

  Function whole() {
    const Function f = sum();
    if (peek() != 0) fail("does not go on with '" + text_.substr(at_) + "'");
    return f;
  }

 private:
  static constexpr int deepest = 200;

  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(what_ + " is '" + text_ + "', which " + problem + " at character " + std::to_string(at_ + 1) +
                     ": write a formula in " + variable_ + " such as exp(-2 * " + variable_ + ")");
  }
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

  Function sum() {
    if (++depth_ > deepest) fail("is nested too deeply");
    Function f = product();
    for (;;) {
      if (take('+'))
        f = [a = f, b = product()](double x) { return a(x) + b(x); };
      else if (take('-'))
        f = [a = f, b = product()](double x) { return a(x) - b(x); };
      else
        break;
    }
    --depth_;
    return f;
  }
  Function product() {
    Function f = sign();
    for (;;) {
      if (take('*'))
        f = [a = f, b = sign()](double x) { return a(x) * b(x); };
      else if (take('/'))
        f = [a = f, b = sign()](double x) { return a(x) / b(x); };
      else
        return f;
    }
  }
  Function sign() {
    if (++depth_ > deepest) fail("is nested too deeply");
    Function f;
    if (take('-'))
      f = [a = sign()](double x) { return -a(x); };
    else if (take('+'))
      f = sign();
    else
      f = power();
    --depth_;
    return f;
  }
  Function power() {
    const Function f = value();
    if (!take('^')) return f;
    return [a = f, b = sign()](double x) { return std::pow(a(x), b(x)); };
  }
  Function value() {
    const char c = peek();
    if (take('(')) return bracketed();
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(c))) return name();
    fail(c == 0 ? "ends where a number, " + variable_ + " or a function should be"
                : "has '" + std::string(1, c) + "' where a number, " + variable_ + " or a function should be");
  }
  /// After '('.
  Function bracketed() {
    const Function f = sum();
    if (!take(')')) fail("lacks a ')'");
    return f;
  }
  Function number() {
    double n = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
    if (error != std::errc()) fail("has no number that can be read");
    at_ = std::size_t(end - text_.data());
    return [n](double) { return n; };
  }
  Function name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    if (word == variable_) return [](double x) { return x; };
    if (word == "pi") return [](double) { return std::numbers::pi; };
    std::vector<std::string> known{variable_, "pi"};
    for (const Named& named : functions) {
      if (word == named.name) {
        if (!take('(')) fail("lacks a '(' after " + word);
        return [f = named.f, a = bracketed()](double x) { return f(a(x)); };
      }
      known.emplace_back(named.name);
    }
    at_ = begin;
    fail("names '" + word + "', which there is not" + did_you_mean(word, known));
  }

  const std::string &text_, &variable_, &what_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::function<double(double)> parse_formula(const std::string& text, const std::string& variable,
                                            const std::string& what) {
  return Parser(text, variable, what).whole();
}

}  // namespace kov::app
