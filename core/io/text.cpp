// SPDX-License-Identifier: MIT
#include "kov/core/io/text.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <locale>
#include <sstream>

namespace kov {

namespace {

constexpr std::string_view blanks{" \t\r\n\v\f\0", 7};

constexpr std::string_view npos_guard(std::string_view text, std::size_t from) {
  return from == std::string_view::npos ? std::string_view{} : text.substr(from);
}

}  // namespace

std::string trim(std::string_view text) {
  text = npos_guard(text, text.find_first_not_of(blanks));
  return std::string(text.substr(0, text.find_last_not_of(blanks) + 1));
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (text = npos_guard(text, text.find_first_not_of(blanks)); !text.empty();) {
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    result.emplace_back(text.substr(0, end));
    text = npos_guard(text, text.find_first_not_of(blanks, end));
  }
  return result;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  if (text.empty() || blanks.find(text.front()) != std::string_view::npos) return std::nullopt;
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  double value = 0;
  stream >> value;
  if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> parse_hex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string to_hex(std::uint32_t value) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(value));
  return text;
}

std::string exact_text(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

std::string print_real(double value) {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  stream.precision(15);
  stream << value;
  return stream.str();
}

double printed_unit(std::string_view text) {
  if (!parse_real(text)) return 0;
  const std::size_t mark = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, mark);
  const std::size_t point = mantissa.find('.');
  const double decimals = point == std::string_view::npos ? 0 : double(mantissa.size() - point - 1);
  double exponent = 0;
  if (mark != std::string_view::npos) exponent = parse_real(text.substr(mark + 1)).value_or(0);
  return std::pow(10.0, exponent - decimals);
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string result;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte < 127) {
      result += c;
    } else {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      result += escaped;
    }
  }
  return text.size() > longest ? result + "..." : result;
}

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  result += printable(text);
  return result += "'";
}

}  // namespace kov
