// SPDX-License-Identifier: MIT
#include "apps/quarks/gauge_choice.hpp"

#include "apps/files/chain_files.hpp"
#include "apps/settings/suggest.hpp"

#include <algorithm>

namespace kov::app {

void GaugeChoice::add_to(Settings& s) {
  s.add("gauge.files", &files,
        "gauge configurations in any format, names or patterns such as 'conf.*'; none: they are generated, see "
        "[generate]");
  s.add("gauge.extent", &extent, "extents x y z t of generated lattices and of files that do not record theirs");
  s.add("gauge.ignore", &ignore, "checks of files that may fail: 'checksums', 'plaquette', 'link-trace', 'unitarity'");
  s.add("generate.beta", &chain.beta, "coupling of Wilson's gauge action (quenched)");
  s.add("generate.seed", &chain.seed, "seed of all random numbers");
  s.add("generate.thermalise", &chain.n_thermalise, "updates before the first configuration, from a cold start");
  s.add("generate.between", &chain.n_between, "updates from one configuration to the next");
  s.add("generate.overrelaxation", &chain.overrelaxation_per_heatbath,
        "sweeps of it in an update, after one of heatbath");
  s.add("generate.configurations", &configurations, "number of configurations");
}

void GaugeChoice::check(const Settings& settings) const {
  if (files.empty()) {
    require(configurations > 0, settings.origin("generate.configurations"), "is", double(configurations),
            "- it must be positive");
    require(configurations <= max_configurations, settings.origin("generate.configurations"), "is", configurations,
            "- a job takes at most", max_configurations);
    require(chain.n_thermalise >= 0 && chain.n_between >= 1,
            "generate.thermalise must be 0 or more and generate.between 1 or more; they are", chain.n_thermalise, "and",
            chain.n_between);
    require(chain.overrelaxation_per_heatbath >= 0, settings.origin("generate.overrelaxation"), "is",
            chain.overrelaxation_per_heatbath, "- it must be 0 or more");
    require(chain.beta >= 0, settings.origin("generate.beta"), "is", chain.beta,
            "- it must be 0 or more: about 6 is usual");
  }
  for (const std::string& name : ignore)
    require(std::count(check_names().begin(), check_names().end(), name) == 1, settings.origin("gauge.ignore"),
            "has '" + name + "': a check " + not_a_choice(name, check_names()));
}

GaugeFileOptions GaugeChoice::file_options(const Settings& settings) const {
  return {.extent = settings.given("gauge.extent") ? std::optional(extent) : std::nullopt,
          .ignore = ignore,
          .syntax = OptionSyntax::settings};
}

}  // namespace kov::app
