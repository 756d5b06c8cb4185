// SPDX-License-Identifier: MIT
//
// The TOML file and --set of `kovariant spectrum`, `kovariant propagator` and `kovariant distill`.
#include "apps/distill/distill_parameters.hpp"
#include "apps/propagator/propagator_parameters.hpp"
#include "apps/spectrum/spectrum_parameters.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/hdf5.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

namespace {

template <class Parameters>
std::string defaults() {
  Parameters parameters;
  app::Settings settings = parameters.settings();
  parameters.complete(settings);
  return settings.toml();
}

template <class Parameters>
void read_as(const std::string& input) {
  Parameters parameters;
  app::Settings settings = parameters.settings();
  settings.read(input, "input");
  try {
    settings.assign(input.substr(0, 60));
  } catch (const InputError&) {
  }
  parameters.complete(settings);
}

}  // namespace

std::vector<std::string> seeds() {
  return {defaults<app::SpectrumParameters>(),
          defaults<app::PropagatorParameters>(),
          "[eigenvectors]\nn = 8\n[elementals]\ndisplacements = ['1', 'dx +y']\n[perambulators]\ntimes = [0, 4]\n",
          "action.kappa = 0.15\n[source]\norigins = [[0, 0, 0, 0], [4, 4, 4, 8]]\n",
          "[correlators]\nmesons = [\"all\"]\nmomenta = [[1, 0, 0]]\n",
          "[source]\nboost = [1, 0, 0.5]\n[[quark]]\nkappa = 0.13\n[[quark]]\nname = \"charm\"\nmu = 0.1\n"};
}

void read(const std::string& input) {
  if (input.find("quark]]") != input.npos)
    read_as<app::PropagatorParameters>(input);
  else if (has_hdf5() && input.find("eigenvectors]") != input.npos)
    read_as<app::DistillParameters>(input);
  else
    read_as<app::SpectrumParameters>(input);
}

}  // namespace kov::fuzz
