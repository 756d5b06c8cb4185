// SPDX-License-Identifier: MIT
#include "kov/core/lattice/tune.hpp"

#include "kov/core/base/version.hpp"
#include "kov/core/io/atomic_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>

namespace kov {

namespace {

/// What is no regular file counts as one of another program: reading a pipe might not end.
std::string text_of(const std::string& file) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(file, none);
  if (!std::filesystem::exists(status)) return "";
  if (!std::filesystem::is_regular_file(status)) return "no regular file";
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::filesystem::path folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? "." : folder;
}

constexpr const char* first_line = "# kovariant tuner: key, tab, choice\n";

/// Lines as key and what follows the last tab; all of a line without one.
std::map<std::string, std::string> lines_of(const std::string& text) {
  std::map<std::string, std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = std::min(line.rfind('\t'), line.size());
    lines[line.substr(0, tab)] = line.substr(tab);
  }
  return lines;
}

/// The lines "key<tab>choice"; others are counted.
std::map<std::string, int> choices_of(const std::string& text, int& n_damaged) {
  std::map<std::string, int> choices;
  for (const auto& [key, rest] : lines_of(text)) {
    int choice = -1;
    const char* const end = rest.data() + rest.size();
    const auto parsed = std::from_chars(rest.data() + !rest.empty(), end, choice);
    if (parsed.ec == std::errc() && parsed.ptr == end && choice >= 0)
      choices[key] = choice;
    else
      ++n_damaged;
  }
  return choices;
}

}  // namespace

std::string TuneKey::text() const {
  std::string text = sentence("kernel=" + kernel, "choice=" + choice);
  for (const auto& [name, value] : entries) text += ' ' + name + '=' + value;
  return text;
}

Tuner::Tuner(const Comm& comm, const std::string& device, const Clock& clock)
    : comm_(comm), device_(comm.broadcast(device)), clock_(clock) {
  if (const char* file = std::getenv("KOVARIANT_TUNE")) file_ = file;
  file_ = comm_.broadcast(file_);
  const std::string text = comm_.broadcast(comm_.rank() == 0 && !file_.empty() ? text_of(file_) : "");
  std::error_code none;
  const bool found = comm_.rank() != 0 || file_.empty() || std::filesystem::is_directory(folder_of(file_), none);
  const bool has_folder = comm_.broadcast(found ? "found" : "") == "found";
  if (!has_folder)
    warnings_.push_back(
        sentence(file_, "(KOVARIANT_TUNE) is in a folder that does not exist: make it, or new choices are lost"));
  if (text.empty()) return;
  const bool begins = text.starts_with(first_line);
  int n_damaged = 0;
  remembered_ = choices_of(text.substr(begins ? std::string(first_line).size() : 0), n_damaged);
  if (!begins)
    warnings_.push_back(
        sentence(file_, "(KOVARIANT_TUNE)",
                 "does not begin as a file of the tuner: it stays as it is, and new choices are lost; name another"));
  else if (n_damaged > 0)
    warnings_.push_back(sentence(file_, "(KOVARIANT_TUNE) has", n_damaged,
                                 n_damaged == 1 ? "line that is" : "lines that are", "no choice and not used"));
}

std::vector<std::string> Tuner::report() const {
  std::vector<std::string> lines;
  for (const auto& [key, choice] : choices_) {
    std::istringstream text(key.choice);
    std::string what, name;
    text >> what;
    if (!choice->is_made()) continue;
    for (int c = 0; c <= choice->candidate(); ++c)
      if (!(text >> name)) break;
    if (!text) continue;
    std::string line = key.kernel;
    for (const auto& [entry, value] : key.entries)
      if (!value.empty()) line += ", " + entry + ' ' + value;
    lines.push_back(line + ": " + what + " " + name);
  }
  return lines;
}

Tuner::~Tuner() {
  if (learnt_.empty() || file_.empty() || comm_.rank() != 0) return;
  try {
    // Other lattices and other runs may have learnt something since this one read the file.
    const std::string before = text_of(file_);
    if (!before.empty() && !before.starts_with(first_line)) return;  // a file of another program
    auto lines = lines_of(before.substr(std::min(before.size(), std::string(first_line).size())));
    for (const auto& [key, choice] : learnt_) lines[key] = '\t' + std::to_string(choice);
    std::string text = first_line;
    for (const auto& [key, rest] : lines) text += key + rest + '\n';
    OutputFile out(file_);
    out.write(text);
    out.commit();
  } catch (const std::exception&) {  // the next run measures again
  }
}

double Tuner::steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string Tuner::line_of(const TuneKey& key) const {
  std::string line = sentence(key.text(), "device=" + device_, "version=" + std::string(version()));
  // Names given by users may contain any character.
  for (char& c : line)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = ' ';
  return line;
}

std::shared_ptr<Tuner::Choice> Tuner::choice(const TuneKey& key, int n_candidates) {
  std::shared_ptr<Choice>& choice = choices_[key];
  if (!choice) {
    choice = std::make_shared<Choice>();
    choice->line_ = line_of(key);
    const auto remembered = remembered_.find(choice->line_);
    if (remembered != remembered_.end() && remembered->second >= 0 && remembered->second < n_candidates)
      choice->candidate_ = remembered->second;
    choice->best_.assign(std::size_t(n_candidates), std::numeric_limits<double>::infinity());
  }
  return choice;
}

void Tuner::run_best(Choice& choice, const std::function<void(int)>& run, const std::function<void()>& fence) {
  constexpr int rounds = 12;         // the first warms up
  constexpr double worth_it = 1.03;  // what is less may be noise
  const int n_candidates = int(choice.best_.size());
  // Not at the end of the last trial: if that threw on some ranks, the others would wait for them here.
  if (!choice.is_made() && choice.calls_ == rounds * n_candidates) {
    comm_.max(choice.best_);
    const auto fastest = std::min_element(choice.best_.begin(), choice.best_.end());
    const bool keeps_default = choice.best_.front() <= worth_it * *fastest;
    choice.candidate_ = keeps_default ? 0 : int(fastest - choice.best_.begin());
    learnt_[choice.line_] = choice.candidate_;
  }
  if (choice.is_made()) return run(choice.candidate_);
  const int turn = choice.calls_++, candidate = turn % n_candidates;
  const double start = clock_();
  run(candidate);
  fence();
  double& best = choice.best_[std::size_t(candidate)];
  if (turn >= n_candidates) best = std::min(best, clock_() - start);
}

}  // namespace kov
