// SPDX-License-Identifier: MIT
#include "kov/core/launch/thread_blocks.hpp"

#include <algorithm>

namespace kov::detail {

int walk_length(int n_slices, int slice_blocks, int resident, int most_walks, int wanted) {
  const auto parts = [](std::int64_t n, std::int64_t size) { return (n + size - 1) / size; };
  if (wanted > 0) return std::min(std::max(wanted, int(parts(n_slices, most_walks))), n_slices);
  int best = 1;
  std::int64_t least = 0;
  // Each length once, with the fewest walks that have it, as a host does this at every launch.
  for (int n_walks = 1; n_walks <= std::min(n_slices, most_walks);) {
    const int length = int(parts(n_slices, n_walks));
    const std::int64_t waves = parts(std::int64_t(slice_blocks) * parts(n_slices, length), std::max(resident, 1));
    const std::int64_t slices = waves * (length + 1);
    if (n_walks == 1 || slices < least) {
      least = slices;
      best = length;
    }
    n_walks = length > 1 ? int(parts(n_slices, length - 1)) : n_slices + 1;
  }
  return best;
}

}  // namespace kov::detail
