// SPDX-License-Identifier: MIT
#include "apps/plot/drawing.hpp"

#include <algorithm>

namespace kov::app {

namespace {
constexpr double caption_line = 14, caption_margin = 14;
constexpr std::size_t max_caption_lines = 5;
}  // namespace

void Drawing::write(double x, double y, const std::string& markup, double size, DrawnText::Anchor anchor, bool bold,
                    bool upright) {
  if (!markup.empty()) items.emplace_back(DrawnText{x, y, typeset(markup), size, anchor, bold, upright});
}

void Drawing::caption(double x, double y, const std::string& markup) {
  const double letters = (width - x - caption_margin) / caption_size;
  const std::vector<TextLine> lines = broken_lines(typeset(markup), letters, max_caption_lines);
  for (std::size_t k = 0; k < lines.size(); ++k)
    items.emplace_back(DrawnText{.x = x, .y = y + caption_line * double(k), .line = lines[k], .size = caption_size});
  height += caption_line * double(std::max<std::size_t>(1, lines.size()) - 1);
}

}  // namespace kov::app
