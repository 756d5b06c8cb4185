// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/halo_plan.hpp"

#include <cstdlib>

namespace kov {

std::string in_words(const std::vector<int>& numbers) {
  std::string text;
  for (const int n : numbers) {
    if (!text.empty()) text += ' ';
    text += std::to_string(n);
  }
  return text;
}

std::string leg_name(const Coord& leg) {
  int reach = 0, mu = 0;
  for (int nu = 0; nu < 4; ++nu) {
    reach += std::abs(leg[nu]);
    if (leg[nu] != 0) mu = nu;
  }
  if (reach == 1) return std::string(leg[mu] > 0 ? "+" : "-") + "xyzt"[mu];
  std::string name = "(";
  name += to_string(leg);
  return name += ")";
}

}  // namespace kov
