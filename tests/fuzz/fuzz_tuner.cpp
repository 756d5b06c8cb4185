// SPDX-License-Identifier: MIT
//
// The file that KOVARIANT_TUNE names.
#include "kov/core/tune.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <cstdlib>

namespace kov::fuzz {

std::vector<std::string> seeds() { return {"# kovariant tuner: key, tab, choice\nhalo 8 8 8 16\t1\nlaplacian\t0\n"}; }

void read(const std::string& input) {
  ::setenv("KOVARIANT_TUNE", in_memory(input).c_str(), 1);
  const Tuner tuner(Comm::self());
}

}  // namespace kov::fuzz
