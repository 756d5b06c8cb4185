// SPDX-License-Identifier: MIT
//
// What a picture has in it, for tests.
#pragma once

#include "apps/plot/drawing.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace kov::test {

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// How often the part occurs.
inline int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// The items of one kind, in the order of drawing.
template <class Item>
std::vector<Item> items(const app::Drawing& drawing) {
  std::vector<Item> found;
  for (const app::DrawnItem& item : drawing.items)
    if (const Item* one = std::get_if<Item>(&item)) found.push_back(*one);
  return found;
}

/// All texts without their styles.
inline std::vector<std::string> texts(const app::Drawing& drawing) {
  std::vector<std::string> found;
  for (const app::DrawnText& text : items<app::DrawnText>(drawing)) found.push_back(characters(text.line));
  return found;
}

inline bool says(const app::Drawing& drawing, const std::string& text) {
  const auto all = texts(drawing);
  return std::find(all.begin(), all.end(), text) != all.end();
}

}  // namespace kov::test
