// SPDX-License-Identifier: MIT
#include "kov/core/site/gamma.hpp"

namespace kov {

const std::array<std::string, 16>& meson_names() {
  static const std::array<std::string, 16> names{"a0",       "rho_x",   "rho_y", "b1_z",     "rho_z",    "b1_y",
                                                 "b1_x",     "pion_A4", "a0_g4", "rho_x_g4", "rho_y_g4", "a1_z",
                                                 "rho_z_g4", "a1_y",    "a1_x",  "pion"};
  return names;
}

}  // namespace kov
