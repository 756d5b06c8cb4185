// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/correlator_samples.hpp"

namespace kov {

Samples real_parts(const std::vector<Correlator>& correlators) {
  Samples samples;
  for (const Correlator& c : correlators) {
    samples.emplace_back();
    for (const auto& z : c.value) samples.back().push_back(z.real());
  }
  return samples;
}

}  // namespace kov
