// SPDX-License-Identifier: MIT
#include "apps/spectrum/unused_settings.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <map>

namespace kov::app {

namespace {

using Names = std::vector<std::string>;

bool has_any(const Names& names, const Names& wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const std::string& name) { return std::count(names.begin(), names.end(), name) > 0; });
}

/// Numbers of SmearingChoice, and the smearings that take them.
const std::vector<std::pair<std::string, Names>>& smearing_numbers() {
  static const std::vector<std::pair<std::string, Names>> numbers{
      {"width", {"wuppertal"}}, {"iterations", {"wuppertal"}}, {"sigma", {"gaussian", "node"}}, {"node", {"node"}},
      {"p2_max", {"theta"}},    {"edge", {"theta"}},           {"formula", {"formula"}}};
  return numbers;
}

/// check(key, used, where) for what smears sources and sinks.
template <class Check>
void check_smearing(const SpectrumParameters& parameters, const Settings& settings, const Check& check) {
  const Names source{parameters.source.smearing}, &sinks = parameters.sink.smearings;
  Names all = sinks;
  all.push_back(parameters.source.smearing);
  for (const auto& [number, smearings] : smearing_numbers()) {
    const bool in_sinks = has_any(sinks, smearings);
    const std::string of = "by smearing " + smearings.front() + (smearings.size() > 1 ? " or " + smearings.back() : "");
    check("source." + number, has_any(source, smearings) || (in_sinks && !settings.given("sink." + number)), of);
    check("sink." + number, in_sinks, of + " of sinks");
  }
  const bool smeared = has_any(all, {"wuppertal", "gaussian", "node", "theta", "formula"});
  const bool in_source = has_any(source, {"wuppertal"}), in_sinks = has_any(sinks, {"wuppertal"});
  const bool steps_of_source = parameters.source.choice.iterations > 0;
  const bool steps_of_sinks = parameters.sink.choice.iterations > 0;
  const bool for_sinks = in_sinks && !settings.given("sink.width");
  if (in_source || for_sinks)
    check("source.width", (in_source && steps_of_source) || (for_sinks && steps_of_sinks),
          std::string("with ") + (in_source || !settings.given("sink.iterations") ? "source" : "sink") +
              ".iterations of 1 or more");
  if (in_sinks) check("sink.width", steps_of_sinks, "with sink.iterations of 1 or more");
  check("source.boost", smeared, "with a source or sink that is smeared");
  check("source.accuracy", has_any(all, {"gaussian", "node", "theta", "formula"}),
        "by smearing gaussian, node, theta or formula");

  const std::string& links = parameters.links.smearing;
  const bool steps = parameters.links.steps > 0;
  check("links.smearing", smeared && (steps || links == "none"),
        smeared ? "with links.steps of 1 or more" : "with a source or sink that is smeared");
  check("links.steps", smeared && links != "none", "with smeared links of a source or sink that is smeared");
  const std::string with_steps = steps ? "" : " and links.steps of 1 or more";
  check("links.ape_weight", smeared && steps && links == "ape", "with links.smearing ape" + with_steps);
  check("links.stout_rho", smeared && steps && links == "stout", "with links.smearing stout" + with_steps);
}

}  // namespace

std::vector<std::string> unused_settings(const SpectrumParameters& parameters, const Settings& settings) {
  SpectrumParameters defaults;
  std::map<std::string, std::string> default_text, text;
  for (const auto& [key, value] : defaults.settings().values()) default_text[key] = value;
  for (const auto& [key, value] : settings.values()) text[key] = value;
  std::vector<std::string> warnings;
  const auto check = [&](const std::string& key, bool used, const std::string& where) {
    const auto usual = default_text.find(key);  // none of the keys of a table
    if (used || !settings.given(key) || (usual != default_text.end() && text.at(key) == usual->second)) return;
    warnings.push_back(sentence(settings.origin(key), "changes nothing: it is only used", where));
  };

  const bool files = !parameters.gauge.files.empty();
  check("gauge.ignore", files, "with gauge.files");
  for (const char* key : {"beta", "seed", "thermalise", "between", "overrelaxation", "configurations"})
    check(std::string("generate.") + key, !files, "without gauge.files");

  // Without correlators from a source no key of sources and sinks counts; each has one warning.
  const bool from_sources = parameters.has_sources(), two_points = parameters.has_two_point_functions();
  const std::string with_sources = "with correlators.mesons, correlators.baryons or a table [[three_point]]";
  if (!from_sources)
    for (const auto& [key, value] : settings.values())
      if (key.starts_with("source.") || key.starts_with("sink.") || key.starts_with("links."))
        check(key, false, with_sources);
  const std::string with_two_points = "with correlators.mesons or correlators.baryons";
  for (const char* key : {"correlators.momenta", "correlators.max_momentum2"})
    if (!two_points) check(key, false, with_two_points);
  check("correlators.flavours", from_sources, with_sources);

  if (from_sources) {
    check_smearing(parameters, settings, check);
    parameters.source.check_used(check);
  }
  parameters.quarks.check_used(parameters.solver, check);
  for (const char* meson : {"pion", "rho"})
    check(std::string("analysis.") + meson, parameters.measures(meson),
          std::string("with the ") + meson + " among correlators.mesons");
  check("analysis.nucleon", parameters.measures("nucleon"), "with the nucleon among correlators.baryons");
  check("analysis.bin", parameters.n_configurations() > 1, "with two configurations or more");
  if (two_points)
    check("correlators.max_momentum2", parameters.correlators.momenta.empty(), "without correlators.momenta");
  for (const char* key : {"quarks", "noise", "seed", "momenta", "dilution_time", "dilution_space", "dilution_spin",
                          "dilution_color", "dilution_parity", "hopping", "modes"})
    check(std::string("loops.") + key, parameters.loops.any(), "with loops.hits of 1 or more");
  check("loops.mode_tolerance", parameters.loops.any() && parameters.loops.modes > 0, "with loops.modes of 1 or more");
  return warnings;
}

}  // namespace kov::app
