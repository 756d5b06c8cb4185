// SPDX-License-Identifier: MIT
#include "kov/core/lattice/halo_options.hpp"

namespace kov {

std::string to_string(HaloOptions::Wire wire) {
  constexpr const char* names[] = {"full", "single", "fixed16"};
  return names[int(wire)];
}

std::string to_string(HaloOptions::Transport transport) {
  constexpr const char* names[] = {"automatic", "staged", "device", "shared"};
  return names[int(transport)];
}

}  // namespace kov
