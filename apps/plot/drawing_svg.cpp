// SPDX-License-Identifier: MIT
#include "apps/plot/drawing.hpp"

#include <cstdio>
#include <sstream>

namespace kov::app {

namespace {

/// A number of pixels with two decimals at most.
std::string pixels(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", value);
  std::string digits = text;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

std::string attribute(const std::string& name, const std::string& value) { return " " + name + "=\"" + value + "\""; }
std::string attribute(const std::string& name, double value) { return attribute(name, pixels(value)); }

std::string attributes(const Pen& pen) {
  std::string text = attribute("fill", pen.fill.empty() ? "none" : pen.fill);
  if (pen.opacity < 1) text += attribute("fill-opacity", pen.opacity);
  if (!pen.stroke.empty()) text += attribute("stroke", pen.stroke) + attribute("stroke-width", pen.width);
  if (pen.dashed) text += attribute("stroke-dasharray", pixels(4 * pen.width) + " " + pixels(3 * pen.width));
  return text;
}

class Writer {
 public:
  explicit Writer(const Drawing& drawing) {
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\"" << attribute("width", drawing.width)
         << attribute("height", drawing.height)
         << attribute("viewBox", "0 0 " + pixels(drawing.width) + " " + pixels(drawing.height))
         << attribute("role", "img") << attribute("xml:space", "preserve")
         << attribute("font-family", "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif") << ">\n<title>"
         << xml_text(drawing.title) << "</title>\n<rect" << attribute("width", drawing.width)
         << attribute("height", drawing.height) << " fill=\"#ffffff\"/>\n";
    for (const DrawnItem& item : drawing.items) std::visit(*this, item);
    out_ << (clipped_ ? "</g>\n" : "") << "</svg>\n";
  }
  std::string text() const { return out_.str(); }

  void operator()(const DrawnPath& path) {
    out_ << (path.closed ? "<polygon" : "<polyline") << " points=\"";
    for (std::size_t k = 0; k < path.points.size(); ++k)
      out_ << (k ? " " : "") << pixels(path.points[k][0]) << "," << pixels(path.points[k][1]);
    out_ << "\"" << attributes(path.pen) << "/>\n";
  }
  void operator()(const DrawnRectangle& r) {
    out_ << "<rect" << attribute("x", r.x) << attribute("y", r.y) << attribute("width", r.width)
         << attribute("height", r.height) << attributes(r.pen) << "/>\n";
  }
  void operator()(const DrawnCircle& c) {
    out_ << "<circle" << attribute("cx", c.x) << attribute("cy", c.y) << attribute("r", c.radius) << attributes(c.pen)
         << "/>\n";
  }
  void operator()(const DrawnText& text) {
    constexpr const char* anchors[] = {"start", "middle", "end"};
    out_ << "<text" << attribute("x", text.x) << attribute("y", text.y) << attribute("font-size", text.size)
         << attribute("text-anchor", anchors[int(text.anchor)]) << attribute("fill", ink)
         << (text.bold ? attribute("font-weight", "bold") : "")
         << (text.upright ? attribute("transform", "rotate(-90 " + pixels(text.x) + " " + pixels(text.y) + ")") : "")
         << ">";
    double at = 0;  // the baseline, downwards
    for (const TextRun& run : text.line) {
      const double to = run.script > 0   ? -superscript_rise * text.size
                        : run.script < 0 ? subscript_drop * text.size
                                         : 0;
      std::string style;
      if (to != at) style += attribute("dy", to - at);
      if (run.script != 0) style += attribute("font-size", script_size * text.size);
      if (run.italic) style += attribute("font-style", "italic");
      at = to;
      out_ << (style.empty() ? "" : "<tspan" + style + ">") << xml_text(run.text) << (style.empty() ? "" : "</tspan>");
    }
    out_ << "</text>\n";
  }
  void operator()(const DrawnClip& clip) {
    if (clipped_) out_ << "</g>\n";
    clipped_ = clip.width > 0;
    if (!clipped_) return;
    const std::string id = "clip" + std::to_string(++clips_);
    out_ << "<clipPath" << attribute("id", id) << "><rect" << attribute("x", clip.x) << attribute("y", clip.y)
         << attribute("width", clip.width) << attribute("height", clip.height) << "/></clipPath>\n<g"
         << attribute("clip-path", "url(#" + id + ")") << ">\n";
  }

 private:
  std::ostringstream out_;
  bool clipped_ = false;
  int clips_ = 0;
};

}  // namespace

std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string Drawing::svg() const { return Writer(*this).text(); }

}  // namespace kov::app
