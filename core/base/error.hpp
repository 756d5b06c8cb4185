// SPDX-License-Identifier: MIT
//
// Errors are exceptions.  Every text follows one grammar: what is wrong, why that is a problem, what to do about it.
#pragma once

#include <source_location>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

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
  bool value;
  std::source_location where;
};

namespace detail {

/// The blank before a part of a sentence; none before a literal that begins with punctuation.
template <class Part>
const char* blank_before([[maybe_unused]] const Part& part) {
  if constexpr (std::is_array_v<Part>)
    return part[0] == ',' || part[0] == ';' || part[0] == ':' ? "" : " ";
  else
    return " ";
}

}  // namespace detail

/// The parts with a blank between them, but none before a literal that begins with a comma, semicolon or colon:
/// sentence("extent", 3, ": choose an even one") is "extent 3: choose an even one".
template <class... Parts>
std::string sentence(const Parts&... parts) {
  std::ostringstream text;
  bool first = true;
  ((text << (first ? "" : detail::blank_before(parts)) << parts, first = false), ...);
  return text.str();
}

/// Throws E(sentence(parts...)) unless the condition holds: require(lt % 2 == 0, "extent must be even, got", lt).
template <class E = InputError, class... Parts>
void require(Condition condition, const Parts&... parts) {
  if (!condition.value) throw E(sentence(parts...), condition.where);
}

}  // namespace kov
