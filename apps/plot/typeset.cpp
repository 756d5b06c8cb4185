// SPDX-License-Identifier: MIT
#include "apps/plot/typeset.hpp"

#include "apps/settings/utf8.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace kov::app {

namespace {

/// Bytes of the character at this place; a byte that is no UTF-8 counts as one.
std::size_t character_length(const std::string& text, std::size_t at) {
  return std::max<std::size_t>(1, utf8_character(text, at).length);
}

/// Bytes of the character at this place; 0 where there is none that XML takes.
std::size_t valid_character(const std::string& text, std::size_t at) {
  const Utf8Character character = utf8_character(text, at);
  const bool control = character.code < 0x20 || character.code == 0x7f, none = (character.code & 0xfffe) == 0xfffe;
  return control || none ? 0 : character.length;
}

bool is_letter(const std::string& character) {
  const auto byte = static_cast<unsigned char>(character[0]);
  return std::isalpha(byte) || byte == 0xce || byte == 0xcf;  // Greek is U+0380 to U+03FF
}

/// The letter of a name that occurs in our formulas; empty for another word.
std::string greek(const std::string& name) {
  constexpr std::array<std::array<const char*, 2>, 7> names{
      {{"alpha", "α"}, {"beta", "β"}, {"kappa", "κ"}, {"psi", "ψ"}, {"rho", "ρ"}, {"sigma", "σ"}, {"theta", "θ"}}};
  for (const auto& [word, letter] : names)
    if (name == word) return letter;
  return {};
}

/// Reads markup; each piece goes to the end of the line, and joins the run before it where the style is the same.
class Typesetter {
 public:
  explicit Typesetter(const std::string& markup) : text_(markup) {}

  TextLine line() {
    bool math = false;
    while (at_ < text_.size()) {
      if (text_[at_] == '$') {
        math = !math;
        ++at_;
      } else if (math) {
        math_piece(0);
      } else {
        put({character(), false, 0});
      }
    }
    return std::move(line_);
  }

 private:
  /// The next character; the one after a backslash as it is.
  std::string character() {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    const std::string found = text_.substr(at_, character_length(text_, at_));
    at_ += found.size();
    return found;
  }

  void math_piece(int script) {
    const char c = text_[at_];
    if (c == '^' || c == '_') {
      ++at_;
      return scripted(c == '^' ? 1 : -1);
    }
    if (c == '-') {
      ++at_;
      return put({"\u2212", false, script});
    }
    if (std::string word = letters(); !word.empty()) {
      const std::string symbol = greek(word);
      const bool single = word.size() == character_length(word, 0);
      return put({symbol.empty() ? word : symbol, single || !symbol.empty(), script});
    }
    put({character(), false, script});
  }
  /// Letters from here on.
  std::string letters() {
    std::string word;
    while (at_ < text_.size() && is_letter(text_.substr(at_, 1))) word += character();
    return word;
  }
  /// After ^ or _: something in {}, or a word, a number or a character.
  void scripted(int script) {
    if (at_ < text_.size() && text_[at_] == '{') {
      for (++at_; at_ < text_.size() && text_[at_] != '}';) math_piece(script);
      if (at_ < text_.size()) ++at_;
    } else {
      const auto digit = [&] { return at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); };
      if (digit())
        while (digit()) put({character(), false, script});
      else if (at_ < text_.size())
        math_piece(script);
    }
  }

  void put(TextRun run) {
    if (!line_.empty() && line_.back().italic == run.italic && line_.back().script == run.script)
      line_.back().text += run.text;
    else
      line_.push_back(std::move(run));
  }

  const std::string& text_;
  std::size_t at_ = 0;
  TextLine line_;
};

/// Of one character in units of the size: Helvetica's, rounded, and a little more for fonts that are wider.
double character_width(const std::string& character) {
  const char c = character[0];
  if (std::string("ijl.,:;'|!I ").find(c) != std::string::npos) return 0.32;
  if (std::string("ft()[]/r-").find(c) != std::string::npos) return 0.4;
  if (std::string("mMwW%@").find(c) != std::string::npos) return 0.9;
  return std::isupper(static_cast<unsigned char>(c)) ? 0.73 : 0.6;
}

double run_width(const TextRun& run) {
  double width = 0;
  for (std::size_t at = 0; at < run.text.size();) {
    const std::string one = run.text.substr(at, character_length(run.text, at));
    width += character_width(one);
    at += one.size();
  }
  return run.script == 0 ? width : script_size * width;
}

/// Pieces between blanks.
std::vector<TextLine> words_of(const TextLine& line) {
  std::vector<TextLine> words{{}};
  for (const TextRun& run : line) {
    std::size_t begin = 0;
    for (;;) {
      const std::size_t end = run.text.find(' ', begin);
      if (end > begin && begin < run.text.size())
        words.back().push_back({run.text.substr(begin, end - begin), run.italic, run.script});
      if (end == std::string::npos) break;
      words.emplace_back();
      begin = end + 1;
    }
  }
  std::erase_if(words, [](const TextLine& word) { return word.empty(); });
  return words;
}

void append(TextLine& line, const TextLine& word) {
  if (!line.empty()) line.push_back({" "});
  line.insert(line.end(), word.begin(), word.end());
}

/// The part of a word that is at most so wide, which is taken off it.
TextLine split_off(TextLine& word, double width) {
  TextLine head;
  while (!word.empty()) {
    TextRun& run = word.front();
    TextRun one{"", run.italic, run.script};
    while (!run.text.empty()) {
      const std::string next = run.text.substr(0, character_length(run.text, 0));
      const TextRun longer{one.text + next, one.italic, one.script};
      if (text_width(head) + run_width(longer) > width && !(head.empty() && one.text.empty())) {
        if (!one.text.empty()) head.push_back(one);
        return head;
      }
      one = longer;
      run.text.erase(0, next.size());
    }
    head.push_back(one);
    word.erase(word.begin());
  }
  return head;
}

}  // namespace

TextLine typeset(const std::string& markup) { return Typesetter(markup).line(); }

std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t length = valid_character(text, at);
    if (c == '$' || c == '\\') out += '\\';
    if (c == '\n' || c == '\r' || c == '\t')
      out += ' ';
    else
      out += length > 0 ? text.substr(at, length) : "\ufffd";
    at += std::max<std::size_t>(1, length);
  }
  return out;
}

std::string number_markup(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  if (value != 0 && (std::abs(value) >= 1e6 || decimals > 5)) std::snprintf(text, sizeof(text), "%.3e", value);
  std::string digits = text, power;
  if (const std::size_t e = digits.find('e'); e != std::string::npos) {
    power = "10^{" + std::to_string(std::stoi(digits.substr(e + 1))) + "}";
    digits.resize(e);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
    digits = digits == "1" ? "" : digits == "-1" ? "-" : digits + "×";
  }
  return "$" + digits + power + "$";
}

std::string number_markup(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.6g", value);
  const std::string digits = text;
  const std::size_t e = digits.find('e');
  if (e == std::string::npos) return "$" + digits + "$";
  return "$" + digits.substr(0, e) + "×10^{" + std::to_string(std::stoi(digits.substr(e + 1))) + "}$";
}

std::string characters(const TextLine& line) {
  std::string text;
  for (const TextRun& run : line) text += run.text;
  return text;
}

double text_width(const TextLine& line) {
  double width = 0;
  for (const TextRun& run : line) width += run_width(run);
  return width;
}

std::vector<TextLine> broken_lines(const TextLine& line, double width, std::size_t most) {
  std::vector<TextLine> lines;
  for (TextLine word : words_of(line)) {
    const bool fits = !lines.empty() && text_width(lines.back()) + 0.32 + text_width(word) <= width;
    if (!fits) lines.emplace_back();
    while (text_width(word) > width && lines.size() <= most) {  // longer than a line
      append(lines.back(), split_off(word, width));
      lines.emplace_back();
    }
    if (lines.size() > most) {
      lines.resize(most);
      lines.back().push_back({" …"});
      return lines;
    }
    append(lines.back(), word);
  }
  return lines;
}

}  // namespace kov::app
