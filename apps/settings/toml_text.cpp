// SPDX-License-Identifier: MIT
#include "apps/settings/toml_text.hpp"

#include <algorithm>
#include <cstdio>

namespace kov::app {

namespace {

/// Goes through a document string by string.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // byte order mark
  }

  int run() {
    while (at_ < text_.size() && !found_) {
      const char c = text_[at_];
      if (c == '"' || c == '\'')
        pass_string(c);
      else if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (!ascii())
        found_ = true;
      else
        ++at_;
    }
    if (!found_) return 0;
    return 1 + int(std::count(text_.begin(), text_.begin() + std::ptrdiff_t(at_), '\n'));
  }

 private:
  bool ascii() const { return static_cast<unsigned char>(text_[at_]) < 0x80; }

  void pass_string(char quote) {
    std::string_view end = text_.substr(at_, 3);
    const bool lines = end.size() == 3 && end[0] == quote && end[1] == quote && end[2] == quote;
    if (!lines) end = end.substr(0, 1);
    at_ += end.size();
    while (at_ < text_.size() && !found_) {
      if (text_.substr(at_).starts_with(end)) {
        at_ += end.size();
        for (int more = 0; lines && more < 2 && text_.substr(at_).starts_with(quote); ++more) ++at_;
        return;
      }
      if (!lines && text_[at_] == '\n') return;  // not TOML
      if (quote == '"' && text_[at_] == '\\')
        pass_backslash();
      else
        ++at_;
    }
  }

  /// With the character it belongs to, or with the white space when it ends a line.
  void pass_backslash() {
    ++at_;
    const std::size_t next = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    if (text_.substr(at_, next - at_).find('\n') == text_.npos) {
      if (at_ < text_.size()) ++at_;
      return;
    }
    at_ = next;
    found_ = at_ < text_.size() && !ascii();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool found_ = false;
};

}  // namespace

int line_beyond_ascii(std::string_view text) { return Scan(text).run(); }

std::string toml_quoted(const std::string& text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (text.find('\'') == text.npos && std::none_of(text.begin(), text.end(), is_control)) return "'" + text + "'";
  std::string out = "\"";
  for (const char c : text) {
    if (is_control(c)) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04X", unsigned(c));
      out += code;
    } else {
      out += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    }
  }
  return out + "\"";
}

}  // namespace kov::app
