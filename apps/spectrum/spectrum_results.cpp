// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_results.hpp"

#include "apps/files/measurement.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/plot/typeset.hpp"
#include "apps/settings/suggest.hpp"
#include "apps/spectrum/correlator_checks.hpp"
#include "apps/spectrum/hadron_masses.hpp"
#include "kov/contractions/correlators/correlator_text.hpp"
#include "kov/contractions/correlators/correlator_write.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/site/max_or_nan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace kov::app {

namespace {

/// A note of the journal as a number or text: the journal stores all of them as texts.
LabelValue note_value(const std::string& name, const std::string& text) {
  const auto real = name == "worst_residual" ? parse_real(text) : std::nullopt;
  if (real) return *real;
  const auto integer = name == "iterations" ? parse_integer(text) : std::nullopt;
  if (integer) return *integer;
  return input_value(name, text);
}

CorrelatorProvenance provenance_of(const SpectrumPlan& plan, const Settings& settings) {
  CorrelatorProvenance provenance{.extent = plan.extent};
  for (const auto& [key, value] : settings.typed_values())
    if (key.rfind("output.", 0) != 0) provenance.parameters[key] = value;
  for (const PlannedConfiguration& configuration : plan.configurations)
    for (const PlannedPart& part : configuration.parts)
      for (const auto& [name, text] : part.entry->notes) {
        if (name == "seconds") continue;  // differs from run to run
        const bool solve = name == "iterations" || name == "worst_residual";
        const bool of_loops = solve && part.is_loops();
        auto& values = solve && !of_loops ? provenance.solves[{configuration.name, part.origin}]
                                          : provenance.inputs[configuration.name];
        values[of_loops ? "loop_" + name : name] = note_value(name, text);
      }
  return provenance;
}

/// The reason why there is no table and no picture; empty when there are.
std::string without_masses(const std::vector<HadronMass>& masses) {
  if (masses.empty())
    return "neither pion-pion, rho-rho nor a nucleon was measured at momentum 0 0 0; name one in correlators.mesons or "
           "correlators.baryons, and [0, 0, 0] among correlators.momenta";
  std::vector<std::string> names;
  for (const HadronMass& m : masses) {
    if (std::any_of(m.effective.begin(), m.effective.end(), [](const Estimate& e) { return std::isfinite(e.mean); }))
      return "";
    names.push_back(m.name);
  }
  return list_text(names) + (names.size() == 1 ? " falls" : " fall") +
         " from no time to the next: its sign changes, or there are too few times";
}

/// Warnings of configurations with the same links that their headers did not tell, such as copies in other formats.
std::vector<std::string> copies(const SpectrumPlan& plan) {
  std::vector<std::string> warnings;
  std::map<std::string, std::string> files;  // by their links
  for (const PlannedConfiguration& configuration : plan.configurations) {
    const auto& notes = configuration.parts.front().entry->notes;
    const auto links = notes.find("links_checksum");
    if (links == notes.end()) continue;
    const auto [other, is_new] = files.emplace(links->second, configuration.name);
    if (!is_new && !configuration.seen) warnings.push_back(same_configuration(other->second, configuration.name));
  }
  return warnings;
}

/// The largest |source - M S| / |source| of all solves.
double worst_residual(const SpectrumPlan& plan) {
  double worst = 0;
  for (const PlannedConfiguration& configuration : plan.configurations)
    for (const PlannedPart& part : configuration.parts)
      worst = max_or_nan(worst, parse_real(part.entry->notes.at("worst_residual")).value_or(0));
  return worst;
}

/// For the caption: the configurations whose failed checks were ignored.
std::string ignored_checks(const SpectrumPlan& plan) {
  std::string names;
  for (const PlannedConfiguration& configuration : plan.configurations) {
    const auto& notes = configuration.parts.front().entry->notes;
    const auto found = notes.find("checks_overridden");
    if (found != notes.end() && found->second != "none") names += (names.empty() ? "" : ", ") + configuration.name;
  }
  return names.empty() ? "" : "IGNORED CHECKS of " + plain(names) + ". ";
}

/// Of the picture.
std::string mass_caption(const SpectrumParameters& parameters, const SpectrumPlan& plan, const ErrorSamples& samples) {
  std::string lattice = to_string(plan.extent);
  for (std::size_t at; (at = lattice.find(' ')) != lattice.npos;) lattice.replace(at, 1, "×");
  const NamedQuark quark = parameters.all_quarks().front();
  return sentence(
      ignored_checks(plan) +
          (parameters.gauge.files.empty() ? sentence("quenched, $beta =", parameters.gauge.chain.beta) + "$," : ""),
      lattice + ",", quark.name.empty() ? quark.action_name() : plain(quark.name) + ", " + quark.action_name(),
      "quarks, $kappa =",
      std::to_string(quark.kappa).substr(0, 7) + "$" + (quark.c_sw == 0 ? "" : sentence(", c_sw =", quark.c_sw)) + ",",
      samples.text + "; kovariant", version());
}

/// Those of a pair of quarks by their label; all where the quarks have no names.
std::vector<Correlator> of_quarks(const std::vector<Correlator>& correlators, const std::string& pair) {
  if (pair.empty()) return correlators;
  std::vector<Correlator> found;
  for (const Correlator& c : correlators) {
    const auto label = c.labels.find("quarks");
    if (label != c.labels.end() && label_text(label->second) == pair) found.push_back(c);
  }
  return found;
}

}  // namespace

void write_results(const Session& session, const SpectrumParameters& parameters, const Settings& settings,
                   const SpectrumPlan& plan) {
  std::vector<Correlator> correlators;
  for (const PlannedConfiguration& configuration : plan.configurations)
    for (const PlannedPart& part : configuration.parts)
      correlators.insert(correlators.end(), part.entry->correlators.begin(), part.entry->correlators.end());
  const CorrelatorProvenance provenance = provenance_of(plan, settings);
  const SpectrumOutputs outputs = outputs_of(parameters);
  WrittenFiles files(session);
  if (!outputs.hdf5.empty()) {
    write_correlators(outputs.hdf5, correlators, provenance, session.comm);
    files.add({outputs.hdf5});
  }
  write_correlator_text(outputs.text, correlators, provenance, session.comm);
  files.add({outputs.text});

  for (const std::string& warning : copies(plan)) session.warn(warning);
  // Quarks without a name have one pair, of all correlators.
  bool drawn = false;
  std::erase_if(correlators, [](const Correlator& c) { return c.kind != "meson" && c.kind != "baryon"; });
  if (correlators.empty()) {
    session.say("three-point functions and loops have no effective masses");
    return files.say();
  }
  const ErrorSamples samples = error_samples(correlators, parameters.analysis);
  for (const std::string& pair : parameters.quark_pairs()) {
    const std::vector<Correlator> of_pair = of_quarks(correlators, pair);
    const std::string quarks = pair.empty() ? "" : "quarks " + pair + ": ";
    for (const std::string& warning : underflow_warnings(of_pair, parameters, plan.extent))
      session.warn(quarks + warning);
    for (const std::string& warning : resolution_warnings(of_pair, parameters, plan.extent, worst_residual(plan)))
      session.warn(quarks + warning);
    for (const std::string& sink : parameters.sink.smearings) {
      const auto masses = hadron_masses(of_pair, sink, parameters.analysis, plan.extent[3]);
      if (const std::string why = without_masses(masses); !why.empty()) {
        session.warn(quarks + "there are no effective masses for the sink " + sink + ": " + why);
        continue;
      }
      session.say("\neffective masses in lattice units between t and t + 1, " +
                  (pair.empty() ? "" : "quarks " + pair + ", ") + "source " + parameters.source.smearing + ", sink " +
                  sink + "; " + samples.heading() + "\n");
      session.say(mass_table(masses));
      if (!drawn)  // the picture shows the first pair and sink
        files.draw(parameters.output.prefix, mass_plot(masses, mass_caption(parameters, plan, samples)));
      drawn = true;
    }
  }
  if (!drawn) files.missing(parameters.output.prefix, "it would show effective masses");
  if (drawn && !samples.warning().empty()) session.warn(samples.warning());
  if (outputs.hdf5.empty()) session.say("this build has no HDF5: correlators are in " + outputs.text + " only");
  files.say();
}

}  // namespace kov::app
