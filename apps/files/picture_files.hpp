// SPDX-License-Identifier: MIT
//
// Pictures as files: SVG, and PDF where the build has it.
#pragma once

#include "apps/plot/drawing.hpp"
#include "apps/program/command_line.hpp"
#include "kov/core/base/error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// What write_picture() puts behind PREFIX: .svg and, where the build has cairo, .pdf.
std::vector<std::string> picture_endings();
/// The same behind a prefix, or behind what stands before them in other endings.
std::vector<std::string> picture_names(const std::string& prefix);

/// The files of one picture.
struct WrittenPicture {
  /// PREFIX.svg, PREFIX.pdf
  std::vector<std::string> names;
  /// Why PDF could not be made of the drawing, in a build that writes it; empty otherwise.
  std::string pdf_problem;
};

/// PREFIX.svg and PREFIX.pdf.  Collective; throws InputError where a file cannot be written.
WrittenPicture write_picture(const Comm& comm, const std::string& prefix, const Drawing& drawing);

/// Why there is no PDF; empty where the build has it.
std::string why_no_pdf();

/// What a run wrote, and which of its pictures it could not draw: results stay, whatever becomes of their pictures.
class WrittenFiles {
 public:
  explicit WrittenFiles(const Session& session) : session_(session) {}

  void add(const std::vector<std::string>& files) { names_.insert(names_.end(), files.begin(), files.end()); }
  /// Writes a Plot or PlotMap, or remembers why it cannot be drawn.  Draw after results are written.  Collective.
  template <class Picture>
  void draw(const std::string& prefix, const Picture& picture) {
    std::optional<Drawing> drawing;
    try {
      drawing = picture.drawing();
    } catch (const InputError& error) {
      return missing(prefix, error.what());
    }
    write(prefix, *drawing);
  }
  /// A picture that there cannot be, and why.
  void missing(const std::string& prefix, const std::string& why);

  /// Pictures that this run does not draw: say() names those of them that are there, and that it did not write.
  void leave(const std::vector<std::string>& files);

  /// "wrote a, b and c", and a warning for every picture that is not drawn, which names files of an earlier run that
  /// are still there.
  void say() const;

 private:
  void write(const std::string& prefix, const Drawing& drawing);

  const Session& session_;
  std::vector<std::string> names_, problems_;
  bool drawn_ = false;
};

}  // namespace kov::app
