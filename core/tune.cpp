// SPDX-License-Identifier: MIT
#include "kov/core/tune.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kov {

Tuner::Tuner(const Comm& comm) : comm_(comm) {
  if (const char* file = std::getenv("KOVARIANT_TUNE")) file_ = file;
  std::ostringstream text;
  if (comm_.rank() == 0 && !file_.empty()) text << std::ifstream(file_).rdbuf();
  std::istringstream lines(comm_.broadcast(text.str()));
  std::string key;
  for (int choice; std::getline(lines, key, '\t') && lines >> choice; lines.ignore()) known_[key] = choice;
}

Tuner::~Tuner() {
  if (!changed_ || file_.empty() || comm_.rank() != 0) return;
  const std::string temporary = file_ + ".new";
  {
    std::ofstream out(temporary);
    for (const auto& [key, choice] : known_) out << key << '\t' << choice << '\n';
    if (!out) return;
  }
  std::error_code ignored;
  std::filesystem::rename(temporary, file_, ignored);
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

}  // namespace kov
