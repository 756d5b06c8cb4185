// SPDX-License-Identifier: MIT
//
// Errors are exceptions.  Every text follows one grammar: what is wrong, why that is a problem, what to do about it.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kov {

/// The base of everything the library throws; knows where in the source it was thrown.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text, std::source_location where = std::source_location::current())
      : std::runtime_error(text), where_(where) {}
  const std::source_location& where() const { return where_; }

 private:
  std::source_location where_;
};

// Constructors are written out below because nvcc 13 crashes on inherited ones with such a default argument.

/// What the caller asked for cannot be done: a bad extent, an unknown key, a process grid that does not fit.
struct InputError : Error {
  explicit InputError(const std::string& text, std::source_location where = std::source_location::current())
      : Error(text, where) {}
};

/// A file is not what it claims to be: truncated, damaged, a checksum or plaquette that does not match.
struct FormatError : Error {
  explicit FormatError(const std::string& text, std::source_location where = std::source_location::current())
      : Error(text, where) {}
};

/// A solver did not reach its tolerance.
struct ConvergenceError : Error {
  explicit ConvergenceError(const std::string& text, std::source_location where = std::source_location::current())
      : Error(text, where) {}
};

/// Ranks disagree, or a message was lost or damaged.
struct CommError : Error {
  explicit CommError(const std::string& text, std::source_location where = std::source_location::current())
      : Error(text, where) {}
};

/// A feature that this build was configured without.
struct NotBuilt : Error {
  explicit NotBuilt(const std::string& text, std::source_location where = std::source_location::current())
      : Error(text, where) {}
};

/// A condition and the source location of the check; converts from bool, so callers never write this type.
struct Condition {
  // NOLINTNEXTLINE: the implicit conversion is the point
  Condition(bool value, std::source_location where = std::source_location::current()) : value(value), where(where) {}
  /// Whether it holds, and where that is required.
  bool value;
  std::source_location where;
};

namespace detail {

/// A part of a sentence: a literal, another text, or a number.  Refers to texts, which must outlive it.
class SentencePart {
 public:
  template <std::size_t size>
  explicit SentencePart(const char (&literal)[size]) : kind_(Kind::literal), text_(literal) {}
  explicit SentencePart(std::string_view text) : kind_(Kind::text), text_(text) {}
  explicit SentencePart(char c) : kind_(Kind::character), character_(c) {}
  explicit SentencePart(int n) : SentencePart(static_cast<long long>(n)) {}
  explicit SentencePart(long n) : SentencePart(static_cast<long long>(n)) {}
  explicit SentencePart(long long n) : kind_(Kind::integer), integer_(n) {}
  explicit SentencePart(unsigned n) : SentencePart(static_cast<unsigned long long>(n)) {}
  explicit SentencePart(unsigned long n) : SentencePart(static_cast<unsigned long long>(n)) {}
  explicit SentencePart(unsigned long long n) : kind_(Kind::natural), natural_(n) {}
  explicit SentencePart(double x) : kind_(Kind::real), real_(x) {}

 private:
  friend std::string join_parts(std::initializer_list<SentencePart> parts);
  enum class Kind : unsigned char { literal, text, character, integer, natural, real };

  Kind kind_;
  union {
    std::string_view text_;
    char character_;
    long long integer_;
    unsigned long long natural_;
    double real_;
  };
};

std::string join_parts(std::initializer_list<SentencePart> parts);

/// Throws E with this sentence.  Never inlined, so that a check costs its caller the test and the list of parts.
template <class E>
[[noreturn, gnu::cold, gnu::noinline]] void fail(std::initializer_list<SentencePart> parts,
                                                 const std::source_location& where) {
  throw E(join_parts(parts), where);
}
extern template void fail<InputError>(std::initializer_list<SentencePart>, const std::source_location&);
extern template void fail<FormatError>(std::initializer_list<SentencePart>, const std::source_location&);

}  // namespace detail

/// The parts with a blank between them, but none before a literal that begins with a comma, semicolon or colon:
/// sentence("extent", 3, ": choose an even one") is "extent 3: choose an even one".
template <class... Parts>
std::string sentence(const Parts&... parts) {
  return detail::join_parts({detail::SentencePart(parts)...});
}

/// Throws E(sentence(parts...)) unless the condition holds: require(lt % 2 == 0, "extent must be even, got", lt).
template <class E = InputError, class... Parts>
void require(Condition condition, const Parts&... parts) {
  if (!condition.value) detail::fail<E>({detail::SentencePart(parts)...}, condition.where);
}

}  // namespace kov
