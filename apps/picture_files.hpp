// SPDX-License-Identifier: MIT
//
// Pictures as files: SVG, and PDF where the build has it.
#pragma once

#include "apps/command_line.hpp"
#include "apps/drawing.hpp"
#include "kov/core/error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// What write_picture() puts behind PREFIX: .svg and, where the build has cairo, .pdf.
std::vector<std::string> picture_endings();
/// The same behind a prefix, or behind what stands before them in other endings.
std::vector<std::string> picture_names(const std::string& prefix);

/// PREFIX.svg and PREFIX.pdf; returns their names.  Collective.
std::vector<std::string> write_picture(const Comm& comm, const std::string& prefix, const Drawing& drawing);

/// Why there is no PDF; empty where the build has it.
std::string why_no_pdf();

/// What a run wrote, and which of its pictures there are not.
class WrittenFiles {
 public:
  explicit WrittenFiles(const Session& session) : session_(session) {}

  void add(const std::vector<std::string>& files) { names_.insert(names_.end(), files.begin(), files.end()); }
  /// Writes a Plot or PlotMap, or remembers why it cannot be drawn.  Collective.
  template <class Picture>
  void draw(const std::string& prefix, const Picture& picture) {
    std::optional<Drawing> drawing;
    try {
      drawing = picture.drawing();
    } catch (const InputError& error) {
      return missing(prefix, error.what());
    }
    add(write_picture(session_.comm, prefix, *drawing));
    drawn_ = true;
  }
  /// A picture that there cannot be.
  void missing(const std::string& prefix, const std::string& why) {
    problems_.push_back("no picture " + prefix + ".svg: " + why);
  }

  /// "wrote a, b and c", and why other files are not there.
  void say() const;

 private:
  const Session& session_;
  std::vector<std::string> names_, problems_;
  bool drawn_ = false;
};

}  // namespace kov::app
