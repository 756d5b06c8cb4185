// SPDX-License-Identifier: MIT
#include "apps/quarks/link_choice.hpp"

#include "apps/smear/smearing_choice.hpp"
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"

namespace kov::app {

void LinkChoice::add_to(Settings& s) {
  s.add("links.smearing", &smearing, "of the spatial links in sources and sinks", {"none", "ape", "stout"});
  s.add("links.steps", &steps, "how often the links are smeared");
  s.add("links.ape_weight", &ape_weight, "weight of the old link beside the sum of the four spatial staples");
  s.add("links.stout_rho", &stout_rho, "weight of the staples");
}

void LinkChoice::check(const Settings& settings) const {
  require(steps >= 0, settings.origin("links.steps"), "is", steps, "- it must be 0 or more");
  require_between(settings.origin("links.ape_weight"), ape_weight, -largest_ape_weight, largest_ape_weight);
  require_between(settings.origin("links.stout_rho"), stout_rho, -largest_stout_rho, largest_stout_rho);
}

GaugeField<double> LinkChoice::smeared(const GaugeField<double>& gauge) const {
  if (smearing == "ape") return ape(gauge, {.weight = ape_weight, .n = steps});
  if (smearing == "stout") return stout(gauge, {.rho = stout_rho, .n = steps});
  return gauge.alias();
}

std::string LinkChoice::description() const {
  return smearing == "none" ? "as they are" : sentence(smearing, "x", steps);
}

}  // namespace kov::app
