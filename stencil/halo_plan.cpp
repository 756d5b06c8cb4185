// SPDX-License-Identifier: MIT
#include "kov/stencil/halo_plan.hpp"

#include <cstdlib>

namespace kov {

HaloPlan HaloPlan::in_blocks_of(int outers) const {
  HaloPlan plan = *this;
  plan.block_legs.clear();
  for (std::size_t b = 0; b < block_legs.size(); b += std::size_t(outers)) plan.block_legs.push_back(block_legs[b]);
  plan.n_blocks /= outers;
  plan.n_message_blocks /= outers;
  for (Face& face : plan.faces)
    for (std::size_t q = 0; q < 2; ++q) {
      face.first_block[q] /= outers;
      face.n_blocks[q] /= outers;
      face.halo_block[q] /= outers;
    }
  return plan;
}

std::string to_text(const std::vector<int>& numbers) {
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
