// SPDX-License-Identifier: MIT
//
// The file that KOVARIANT_TUNE names: read, taken a choice from, and added to.
#include "kov/core/lattice/tune.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <cstdlib>
#include <stdexcept>

namespace kov::fuzz {

namespace {

constexpr int n_candidates = 3;

TuneKey key_of(const std::string& kernel) {
  return {.kernel = kernel, .choice = "overlap", .entries = {{"extent", "4 4 4 8"}, {"lanes", "8"}}};
}

/// After so many calls a choice is made, or has been.
constexpr int all_calls = 12 * n_candidates + 1;

/// Makes a tuner with this file and a made-up clock, and calls each kernel so many times.
void use_file(const std::filesystem::path& file, std::initializer_list<const char*> kernels, int calls = all_calls) {
  ::setenv("KOVARIANT_TUNE", file.c_str(), 1);
  int clock = 0;
  Tuner tuner(Comm::self(), "a device", [&] { return double(++clock % 7); });
  for (const char* kernel : kernels)
    for (int i = 0; i < calls; ++i)
      tuner.run_best(*tuner.choice(key_of(kernel), n_candidates), [](int candidate) {
        if (candidate < 0 || candidate >= n_candidates) throw std::logic_error("a candidate that does not exist");
      });
}

}  // namespace

std::vector<std::string> seeds() {
  const auto file = [](std::initializer_list<const char*> kernels) {
    return written([&](const std::filesystem::path& path) { use_file(path, kernels); });
  };
  return {file({"covariant_laplacian"}), file({"covariant_laplacian", "wilson"}), ""};
}

void read(const std::string& input) {
  // Mostly the choice that is there, and a first trial where it is not: nothing is learnt.
  use_file(in_memory(input), {"covariant_laplacian", "smearing"}, input.size() % 8 ? 1 : all_calls);
}

}  // namespace kov::fuzz
