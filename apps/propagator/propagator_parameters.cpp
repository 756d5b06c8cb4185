// SPDX-License-Identifier: MIT
#include "apps/propagator/propagator_parameters.hpp"

#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "kov/core/io/hdf5.hpp"

namespace kov::app {

Settings PropagatorParameters::settings() {
  Settings s;
  gauge.add_to(s);
  links.add_to(s);
  source.add_all_to(s);
  solver.add_to(s);
  memory.add_to(s);
  s.add("output.prefix", &output.prefix, "of the files written: PREFIX.CONFIGURATION.QUARK.X.Y.Z.T and their ending");
  s.add("output.format", &output.format,
        "of the files: Kovariant's HDF5, SciDAC LIME as Chroma has it, or USQCD's, a scalar source and twelve columns, "
        "or "
        "pairs of source and column",
        {"hdf5", "scidac", "usqcd", "usqcd-pairs"});
  s.add("output.precision", &output.precision, "of their numbers: 32 or 64 bits");
  s.add("output.journal", &output.journal,
        "folder with the columns of unfinished propagators, from which a killed run goes on; empty: PREFIX.journal");
  s.add(
      "output.residuals", &output.residuals,
      "of the columns after each iteration: a table and a picture of them for each propagator, NAME.residuals.txt and "
      ".svg");
  quarks.add_to(s, {});
  return s;
}

void PropagatorParameters::complete(Settings& settings) {
  if (quarks.empty()) settings.add_table("quark");
  gauge.check(settings);
  links.check(settings);
  source.check(settings);
  solver.check(settings);
  memory.check(settings);
  quarks.complete(settings, solver, source.boost);
  if (!settings.given("gauge.extent")) settings.follows("gauge.extent");
  require(output.precision == 32 || output.precision == 64, settings.origin("output.precision"), "is", output.precision,
          "- it must be 32 or 64 (bits)");
  require<NotBuilt>(output.format != "hdf5" || has_hdf5(),
                    "this build has no HDF5: set output.format to scidac, or configure with KOV_HDF5=ON");
  require(
      output.format != "usqcd" || !(source.is_smeared() || source.is_sequential()), settings.origin("output.format"),
      "is 'usqcd', which has a source of one number a site, common to all spins and colours, and that of this run is",
      source.is_sequential() ? "sequential" : "smeared with links",
      "- set output.format to usqcd-pairs, with the source of each column");
  require(names_files(output.prefix), settings.origin("output.prefix"),
          "is '" + output.prefix + "': the files need a name");
  if (output.journal.empty()) {
    output.journal = output.prefix + ".journal";
    settings.follows("output.journal");
  }
}

std::vector<std::string> PropagatorParameters::warnings(const Settings& settings) const {
  std::vector<std::string> warnings;
  if (source.is_smeared())
    if (const std::string text = source.choice.warning(source.smearing); !text.empty()) warnings.push_back(text);
  const auto check = [&](const std::string& key, bool used, const std::string& where) {
    if (!used && settings.given(key))
      warnings.push_back(sentence(settings.origin(key), "changes nothing: it is only used", where));
  };
  for (const char* key : {"beta", "seed", "thermalise", "between", "overrelaxation", "configurations"})
    check(std::string("generate.") + key, gauge.files.empty(), "without gauge.files");
  quarks.check_used(solver, check);
  check("gauge.ignore", !gauge.files.empty(), "with gauge.files");
  for (const char* key : {"links.smearing", "links.steps", "source.boost"})
    check(key, source.is_smeared(), "with a source that is smeared");
  check("links.ape_weight", source.is_smeared() && links.smearing == "ape", "with links.smearing ape");
  check("links.stout_rho", source.is_smeared() && links.smearing == "stout", "with links.smearing stout");
  const std::string& profile = source.smearing;
  for (const char* key : {"source.width", "source.iterations"})
    check(key, profile == "wuppertal", "by smearing wuppertal");
  check("source.sigma", profile == "gaussian" || profile == "node", "by smearing gaussian or node");
  check("source.node", profile == "node", "by smearing node");
  for (const char* key : {"source.p2_max", "source.edge"}) check(key, profile == "theta", "by smearing theta");
  check("source.formula", profile == "formula", "by smearing formula");
  check("source.accuracy", profile != "wuppertal" && profile != "none", "by smearing gaussian, node, theta or formula");
  for (const char* key : {"source.propagators", "source.quark", "source.gamma", "source.t_sink"})
    check(key, source.is_sequential(), "by sources of the type sequential");
  source.check_used(check);
  return warnings;
}

std::vector<std::string> PropagatorParameters::residual_endings() const {
  std::vector<std::string> endings;
  if (!output.residuals) return endings;
  endings = picture_names(".residuals");
  endings.push_back(".residuals.txt");
  return endings;
}

std::string PropagatorParameters::identity(const NamedQuark& quark) const {
  std::string text =
      "source " + source.of(quark).identity(links) + "\nsolver " + quark.solver.description() + "\nquark";
  for (const auto& [name, value] : quark.labels()) text += " " + name + "=" + label_text(value);
  return text + "\noutput " + output.format + " " + std::to_string(output.precision);
}

}  // namespace kov::app
