// SPDX-License-Identifier: MIT
#include "kov/contractions/kernels/ladder/ladder.hpp"

namespace kov {

std::string name(ProductRung rung) {
  constexpr const char* names[n_product_rungs] = {"naive",
                                                  "tiled",
                                                  "split and padded",
                                                  "pointer iteration",
                                                  "prefetch from memory",
                                                  "prefetch from tiles",
                                                  "fused 2",
                                                  "fused 2, prefetch",
                                                  "fused 3",
                                                  "fused 3, prefetch",
                                                  "fused 4",
                                                  "fused 4, prefetch",
                                                  "fused 2 + 2",
                                                  "fused 2 + 2, prefetch"};
  return names[int(rung)];
}

std::string name(TraceRung rung) {
  constexpr const char* names[n_trace_rungs] = {"single, as a tree", "single, one thread adds", "tiled",
                                                "tiled, prefetch", "split-k"};
  return names[int(rung)];
}

}  // namespace kov
