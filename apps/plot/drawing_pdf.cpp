// SPDX-License-Identifier: MIT
//
// The only file that includes cairo.
#include "apps/plot/drawing.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/base/version.hpp"

#include <cairo/cairo-pdf.h>
#include <cmath>
#include <cstdlib>
#include <memory>

namespace kov::app {

namespace {

struct Release {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Context = std::unique_ptr<cairo_t, Release>;
using Surface = std::unique_ptr<cairo_surface_t, Release>;

cairo_status_t append(void* text, const unsigned char* bytes, unsigned int n) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), n);
  return CAIRO_STATUS_SUCCESS;
}

class Painter {
 public:
  explicit Painter(cairo_t* context) : cairo_(context) {}

  void operator()(const DrawnPath& path) {
    cairo_new_path(cairo_);  // drawing text leaves a current point
    for (const DrawnPoint& point : path.points) cairo_line_to(cairo_, point[0], point[1]);
    if (path.closed) cairo_close_path(cairo_);
    paint(path.pen);
  }
  void operator()(const DrawnRectangle& r) {
    cairo_new_path(cairo_);
    cairo_rectangle(cairo_, r.x, r.y, r.width, r.height);
    paint(r.pen);
  }
  void operator()(const DrawnCircle& c) {
    cairo_new_path(cairo_);
    cairo_arc(cairo_, c.x, c.y, c.radius, 0, 8 * std::atan(1.0));
    paint(c.pen);
  }
  void operator()(const DrawnText& text) {
    double width = 0;
    for (const TextRun& run : text.line) width += advance(run, text);
    cairo_save(cairo_);
    cairo_translate(cairo_, text.x, text.y);
    if (text.upright) cairo_rotate(cairo_, -2 * std::atan(1.0));
    colour(ink, 1);
    double x = text.anchor == DrawnText::Anchor::start ? 0
               : text.anchor == DrawnText::Anchor::end ? -width
                                                       : -width / 2;
    for (const TextRun& run : text.line) {
      const double y = run.script > 0 ? -superscript_rise : run.script < 0 ? subscript_drop : 0;
      const double step = advance(run, text);
      cairo_move_to(cairo_, x, y * text.size);
      cairo_show_text(cairo_, run.text.c_str());
      x += step;
    }
    cairo_restore(cairo_);
  }
  void operator()(const DrawnClip& clip) {
    cairo_reset_clip(cairo_);
    if (clip.width <= 0) return;
    cairo_new_path(cairo_);
    cairo_rectangle(cairo_, clip.x, clip.y, clip.width, clip.height);
    cairo_clip(cairo_);
  }

 private:
  void colour(const Colour& name, double opacity) {
    const long rgb = std::strtol(name.c_str() + 1, nullptr, 16);
    cairo_set_source_rgba(cairo_, double(rgb >> 16 & 255) / 255, double(rgb >> 8 & 255) / 255, double(rgb & 255) / 255,
                          opacity);
  }
  void paint(const Pen& pen) {
    if (!pen.fill.empty()) {
      colour(pen.fill, pen.opacity);
      cairo_fill_preserve(cairo_);
    }
    if (!pen.stroke.empty()) {
      const double dashes[] = {4 * pen.width, 3 * pen.width};
      cairo_set_dash(cairo_, dashes, pen.dashed ? 2 : 0, 0);
      cairo_set_line_width(cairo_, pen.width);
      colour(pen.stroke, 1);
      cairo_stroke_preserve(cairo_);
    }
  }
  /// Chooses the run's font; returns the width of its letters.
  double advance(const TextRun& run, const DrawnText& text) {
    cairo_select_font_face(cairo_, "Helvetica", run.italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                           text.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_, run.script == 0 ? text.size : script_size * text.size);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, run.text.c_str(), &extents);
    return extents.x_advance;
  }

  cairo_t* cairo_;
};

}  // namespace

bool has_pdf() { return true; }

std::string Drawing::pdf() const {
  std::string text;
  const Surface surface(
      cairo_pdf_surface_create_for_stream(append, &text, points_per_pixel * width, points_per_pixel * height));
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, sentence("kovariant", version()).c_str());
  // Without a date, so that equal drawings make equal files.
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
  const Context context(cairo_create(surface.get()));
  cairo_scale(context.get(), points_per_pixel, points_per_pixel);
  Painter painter(context.get());
  for (const DrawnItem& item : items) std::visit(painter, item);
  cairo_show_page(context.get());
  cairo_surface_finish(surface.get());
  const cairo_status_t status = cairo_status(context.get()), end = cairo_surface_status(surface.get());
  require(status == CAIRO_STATUS_SUCCESS && end == CAIRO_STATUS_SUCCESS, "the picture", title,
          "cannot be written as PDF:", cairo_status_to_string(status == CAIRO_STATUS_SUCCESS ? end : status),
          "- take the SVG");
  return text;
}

}  // namespace kov::app
