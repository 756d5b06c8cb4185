// SPDX-License-Identifier: MIT
//
// The history of a chain of configurations, from which `kovariant generate` goes on.
#include "apps/files/chain_files.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

namespace {

const std::string ending = ".history.txt", chain = "--beta 6 --seed 1";

}  // namespace

std::vector<std::string> seeds() {
  const std::string first = "# kovariant generate " + chain + "\n# update, plaquette\n";
  return {first + "1 0.594\n2 0.5936\n10 -1.5e-3\n", first};
}

void read(const std::string& input) {
  const std::string file = in_memory(input, ending).string();
  app::ChainHistory history(Comm::self(), file.substr(0, file.size() - ending.size()), chain);
  history.read();
}

}  // namespace kov::fuzz
