// SPDX-License-Identifier: MIT
//
// Text with mathematics in it, for pictures: "flow time $t / a^2$".
#pragma once

#include <string>
#include <vector>

namespace kov::app {

/// A piece of a line in one style.
struct TextRun {
  /// UTF-8.
  std::string text;
  bool italic = false;
  /// 1: superscript, -1: subscript.
  int script = 0;

  bool operator==(const TextRun&) const = default;
};
/// The pieces of a line, from left to right.
using TextLine = std::vector<TextRun>;

/// Between dollar signs single letters, Greek ones too (written as they are or by name: sigma), are symbols and italic,
/// other words ("eff", "log") and digits upright, - is a minus sign, and what follows ^ or _, something in {}, a word,
/// a number or a character, is a superscript or subscript.  Elsewhere text is as it is.  A backslash takes the meaning
/// from the character after it.
TextLine typeset(const std::string& markup);

/// Markup, outside dollar signs, for a text as it is: names of files and the like.  Line breaks and tabs become blanks;
/// a byte that is no UTF-8, or no character of XML, becomes U+FFFD, because names of files may have any bytes and
/// neither SVG nor PDF takes them.
std::string plain(const std::string& text);

/// Markup for a number: "$-0.25$", "$10^{-3}$", "$2.5×10^{7}$".  decimals: digits after the point where no power of ten
/// is split off; 1 is not written in front of a power.
std::string number_markup(double value, int decimals);
/// Markup for a number of at most this many significant digits, as %g writes it.
std::string number_markup(double value);

/// The text without styles.
std::string characters(const TextLine& line);

/// Its width in units of the size of its letters, near enough for a sans-serif font to leave room for it.
double text_width(const TextLine& line);

/// Superscripts and subscripts are so much smaller than the letters beside them, and so far above or below, in units of
/// their size.
inline constexpr double script_size = 0.72, superscript_rise = 0.38, subscript_drop = 0.16;

/// Lines of at most this many widths of text_width(), broken at blanks; text beyond `most` lines is replaced by an
/// ellipsis.
std::vector<TextLine> broken_lines(const TextLine& line, double width, std::size_t most);

}  // namespace kov::app
