// SPDX-License-Identifier: MIT
#include "kov/core/tune.hpp"

#include "kov/core/io/atomic_file.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace kov {

namespace {

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

constexpr const char* first_line = "# kovariant tuner: key, tab, choice\n";

/// Lines "key<tab>choice"; others are passed over.
std::map<std::string, int> parse(const std::string& text) {
  std::map<std::string, int> choices;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.rfind('\t');
    if (tab == line.npos) continue;
    int choice = -1;
    const char* const end = line.data() + line.size();
    const auto parsed = std::from_chars(line.data() + tab + 1, end, choice);
    if (parsed.ec == std::errc() && parsed.ptr == end) choices[line.substr(0, tab)] = choice;
  }
  return choices;
}

}  // namespace

Tuner::Tuner(const Comm& comm) : comm_(comm) {
  if (const char* file = std::getenv("KOVARIANT_TUNE")) file_ = file;
  known_ = parse(comm_.broadcast(comm_.rank() == 0 && !file_.empty() ? text_of(file_) : ""));
}

Tuner::~Tuner() {
  if (!changed_ || file_.empty() || comm_.rank() != 0) return;
  try {
    // Other lattices and other runs may have learnt something since this one read the file.
    const std::string before = text_of(file_);
    if (!before.empty() && !before.starts_with(first_line)) return;  // not ours to replace
    std::map<std::string, int> choices = parse(before);
    for (const auto& [key, choice] : known_) choices[key] = choice;
    std::string text = first_line;
    for (const auto& [key, choice] : choices) text += key + '\t' + std::to_string(choice) + '\n';
    OutputFile out(file_);
    out.write(text);
    out.commit();
  } catch (const std::exception&) {  // the next run measures again
  }
}

int Tuner::choose(const std::string& key, int n_candidates, const std::function<void(int)>& run) {
  const auto known = known_.find(key);
  if (known != known_.end() && known->second >= 0 && known->second < n_candidates) return known->second;
  std::vector<double> seconds(std::size_t(n_candidates), 1e30);
  for (int round = 0; round < 4; ++round)
    for (int i = 0; i < n_candidates; ++i) {
      const auto start = std::chrono::steady_clock::now();
      run(i);
      const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (round > 0) seconds[std::size_t(i)] = std::min(seconds[std::size_t(i)], taken);  // round 0 warms up
    }
  comm_.sum(seconds);
  int best = 0;
  for (int i = 1; i < n_candidates; ++i)
    if (seconds[std::size_t(i)] < seconds[std::size_t(best)]) best = i;
  known_[key] = best;
  changed_ = true;
  return best;
}

void Tuner::run_best(const std::string& key, int n_candidates, const std::function<void(int)>& run) {
  const auto known = known_.find(key);
  if (known != known_.end() && known->second >= 0 && known->second < n_candidates) return run(known->second);
  std::vector<double>& trials = trials_[key];
  const int candidate = int(trials.size()) % n_candidates;
  const auto start = std::chrono::steady_clock::now();
  run(candidate);
  trials.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  constexpr int rounds = 12;  // the first warms up
  if (int(trials.size()) < rounds * n_candidates) return;
  std::vector<double> best(std::size_t(n_candidates), 1e30);
  for (std::size_t k = std::size_t(n_candidates); k < trials.size(); ++k)
    best[k % std::size_t(n_candidates)] = std::min(best[k % std::size_t(n_candidates)], trials[k]);
  comm_.max(best);
  known_[key] = int(std::min_element(best.begin(), best.end()) - best.begin());
  changed_ = true;
  trials_.erase(key);
}

}  // namespace kov
