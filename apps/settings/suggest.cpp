// SPDX-License-Identifier: MIT
#include "apps/settings/suggest.hpp"

#include "apps/settings/shown.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace kov::app {

int edit_distance(const std::string& a, const std::string& b) {
  const std::size_t n = a.size(), m = b.size();
  std::vector<std::vector<int>> d(n + 1, std::vector<int>(m + 1));
  for (std::size_t i = 0; i <= n; ++i) d[i][0] = int(i);
  for (std::size_t j = 0; j <= m; ++j) d[0][j] = int(j);
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

std::string nearest(const std::string& name, const std::vector<std::string>& known) {
  const auto small = [](std::string text) {
    for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  std::string best;
  // Of a letter or none nothing is left to compare.
  int least = std::min(std::max(2, int(name.size()) / 3), int(name.size()) / 2) + 1;
  for (const std::string& candidate : known) {
    if (std::abs(int(name.size()) - int(candidate.size())) >= least) continue;
    if (const int distance = edit_distance(small(name), small(candidate)); distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string list_text(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::string best = nearest(name, known);
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "'" : ", '") + word + "'";
  return text;
}

std::string not_a_choice(const std::string& value, const std::vector<std::string>& choices) {
  return "must be one of " + quoted_list(choices) + ", but is '" + shown(value) + "'" + did_you_mean(value, choices);
}

}  // namespace kov::app
