// SPDX-License-Identifier: MIT
//
// The TOML file and --set of `kovariant spectrum`.
#include "apps/spectrum/spectrum_parameters.hpp"
#include "kov/core/base/error.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

std::vector<std::string> seeds() {
  app::SpectrumParameters parameters;
  app::Settings settings = parameters.settings();
  parameters.complete(settings);
  return {settings.toml(), "action.kappa = 0.15\n[source]\norigins = [[0, 0, 0, 0], [4, 4, 4, 8]]\n",
          "[correlators]\nmesons = [\"all\"]\nmomenta = [[1, 0, 0]]\n"};
}

void read(const std::string& input) {
  app::SpectrumParameters parameters;
  app::Settings settings = parameters.settings();
  settings.read(input, "input");
  try {
    settings.assign(input.substr(0, 60));
  } catch (const InputError&) {
  }
  parameters.complete(settings);
}

}  // namespace kov::fuzz
