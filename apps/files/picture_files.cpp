// SPDX-License-Identifier: MIT
#include "apps/files/picture_files.hpp"

#include "apps/files/output_files.hpp"
#include "apps/files/text_file.hpp"

#include <algorithm>
#include <filesystem>

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

WrittenPicture write_picture(const Comm& comm, const std::string& prefix, const Drawing& drawing) {
  WrittenPicture written{.names = {prefix + ".svg"}, .pdf_problem = {}};
  write_text_file(comm, written.names[0], drawing.svg());
  if (!has_pdf()) return written;
  std::string pdf, problem;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    try {
      pdf = drawing.pdf();
    } catch (const InputError& error) {
      problem = error.what();
    }
  });
  written.pdf_problem = comm.broadcast(problem);
  if (!written.pdf_problem.empty()) return written;
  written.names.push_back(prefix + ".pdf");
  write_text_file(comm, written.names[1], pdf);
  return written;
}

std::string why_no_pdf() {
  return has_pdf() ? "" : "pictures are SVG only: this build has no cairo, which writes PDF (KOV_PDF)";
}

namespace {

/// "a.svg and a.pdf are of an earlier run", of those that are there; empty where none is.
std::string old_files(const std::vector<std::string>& files) {
  std::vector<std::string> there;
  std::error_code none;
  for (const std::string& file : files)
    if (std::filesystem::exists(file, none)) there.push_back(file);
  return there.empty() ? "" : list_text(there) + (there.size() == 1 ? " is" : " are") + " of an earlier run";
}
/// The same at the end of a sentence.
std::string stale(const std::vector<std::string>& files) {
  const std::string text = old_files(files);
  return text.empty() ? "" : "; " + text;
}

}  // namespace

void WrittenFiles::missing(const std::string& prefix, const std::string& why) {
  problems_.push_back(prefix + ".svg is not drawn: " + why + stale({prefix + ".svg", prefix + ".pdf"}));
}

void WrittenFiles::leave(const std::vector<std::string>& files) {
  std::vector<std::string> others;
  for (const std::string& file : files)
    if (std::find(names_.begin(), names_.end(), file) == names_.end()) others.push_back(file);
  if (const std::string text = old_files(others); !text.empty()) problems_.push_back(text + ", not of this one");
}

void WrittenFiles::write(const std::string& prefix, const Drawing& drawing) {
  const WrittenPicture written = write_picture(session_.comm, prefix, drawing);
  add(written.names);
  drawn_ = true;
  const std::string old = written.names.size() < 2 ? stale({prefix + ".pdf"}) : "";
  if (!written.pdf_problem.empty())
    problems_.push_back(prefix + ".pdf is not drawn: " + written.pdf_problem + old);
  else if (!old.empty())
    problems_.push_back(prefix + ".pdf is not drawn by this build" + old);
}

void WrittenFiles::say() const {
  for (const std::string& problem : problems_) session_.warn(problem);
  if (!names_.empty()) session_.say("wrote " + list_text(names_));
  if (drawn_ && !has_pdf()) session_.say(why_no_pdf());
}

}  // namespace kov::app
