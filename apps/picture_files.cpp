// SPDX-License-Identifier: MIT
#include "apps/picture_files.hpp"

#include "apps/output_files.hpp"
#include "apps/text_file.hpp"

namespace kov::app {

std::vector<std::string> picture_endings() {
  if (has_pdf()) return {".svg", ".pdf"};
  return {".svg"};
}

std::vector<std::string> picture_names(const std::string& prefix) {
  std::vector<std::string> names = picture_endings();
  for (std::string& name : names) name = prefix + name;
  return names;
}

std::vector<std::string> write_picture(const Comm& comm, const std::string& prefix, const Drawing& drawing) {
  const std::vector<std::string> names = picture_names(prefix);
  write_text_file(comm, names[0], drawing.svg());
  if (names.size() > 1) {
    std::string pdf;
    comm.agree([&] {
      if (comm.rank() == 0) pdf = drawing.pdf();
    });
    write_text_file(comm, names[1], pdf);
  }
  return names;
}

std::string why_no_pdf() {
  return has_pdf() ? "" : "pictures are SVG only: this build has no cairo, which writes PDF (KOV_PDF)";
}

void WrittenFiles::say() const {
  for (const std::string& problem : problems_) session_.say(problem);
  session_.say("wrote " + list_text(names_));
  if (drawn_ && !has_pdf()) session_.say(why_no_pdf());
}

}  // namespace kov::app
