// SPDX-License-Identifier: MIT
//
// Small strict text functions for file headers: a text is a number only if all of it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kov {

/// Without leading and trailing blanks, line ends and NULs.
std::string trim(std::string_view text);

/// The parts between blanks.
std::vector<std::string> words(std::string_view text);

/// The whole text as a decimal integer, or nothing.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// The whole text as a real number in the C locale, or nothing.
std::optional<double> parse_real(std::string_view text);

/// The whole text as up to eight hexadecimal digits, with or without 0x, or nothing.
std::optional<std::uint32_t> parse_hex(std::string_view text);

/// Eight lower-case hexadecimal digits.
std::string to_hex(std::uint32_t value);

/// The shortest text that reads back as the same number: "6", "6.0000004", "1e-12".
std::string exact_text(double value);

/// Fifteen significant digits.
std::string print_real(double value);

/// One unit in the last printed digit of a real number: 1e-6 for "0.994765", 1e-9 for "1.5e-8"; 0 when it is no number.
double printed_unit(std::string_view text);

/// The text for an error message: at most `longest` bytes, control characters and bytes above 126 as \xHH.
std::string printable(std::string_view text, std::size_t longest = 60);

/// printable() between quotation marks.
std::string in_quotes(std::string_view text);

}  // namespace kov
