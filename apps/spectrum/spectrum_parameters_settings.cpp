// SPDX-License-Identifier: MIT
//
// The keys of `kovariant spectrum`, each with what --print says about it.
#include "apps/spectrum/spectrum_parameters.hpp"

namespace kov::app {

namespace {

void add_choice(Settings& s, const std::string& section, SmearingChoice& choice) {
  s.add(section + ".width", &choice.width, "wuppertal: w in (1 + w^2 / (4 N) Laplacian)^N");
  s.add(section + ".iterations", &choice.iterations, "wuppertal: N");
  s.add(section + ".sigma", &choice.sigma, "gaussian and node: sigma in exp(-p^2 sigma^2 / 2)");
  s.add(section + ".node", &choice.node, "node: its radius; 0: sqrt(3/2) sigma");
  s.add(section + ".p2_max", &choice.p2_max, "theta: the largest p^2 kept");
  s.add(section + ".edge", &choice.edge, "theta: width in p^2 of its edge");
  s.add(section + ".formula", &choice.formula, "formula: F(p^2), a formula in p2 such as 'exp(-2 * p2) * (p2 - 1)'");
}

}  // namespace

Settings SpectrumParameters::settings() {
  Settings s;
  s.add("gauge.files", &gauge.files,
        "gauge configurations in any format, names or patterns such as 'conf.*'; none: they are generated, see "
        "[generate]");
  s.add("gauge.extent", &gauge.extent, "extents x y z t of generated lattices and of files that do not record theirs");
  s.add("gauge.ignore", &gauge.ignore,
        "checks of files that may fail: 'checksums', 'plaquette', 'link-trace', 'unitarity'");
  s.add("generate.beta", &generate.chain.beta, "coupling of Wilson's gauge action (quenched)");
  s.add("generate.seed", &generate.chain.seed, "seed of all random numbers");
  s.add("generate.thermalise", &generate.chain.n_thermalise,
        "updates before the first configuration, from a cold start");
  s.add("generate.between", &generate.chain.n_between, "updates from one configuration to the next");
  s.add("generate.overrelaxation", &generate.chain.overrelaxation_per_heatbath,
        "sweeps of it in an update, after one of heatbath");
  s.add("generate.configurations", &generate.configurations, "number of configurations");
  s.add("action.kappa", &action.kappa, "hopping parameter of the quarks");
  s.add("action.mass", &action.mass, "bare mass, 1 / (2 kappa) - 4: give this or kappa");
  s.add("action.c_sw", &action.c_sw, "coefficient of the clover term; 0: none, 1: its tree-level value");
  s.add("action.boundary", &action.boundary, "of the quarks in time", {"antiperiodic", "periodic"});
  s.add("links.smearing", &links.smearing, "of the spatial links in sources and sinks", {"none", "ape", "stout"});
  s.add("links.steps", &links.steps, "how often the links are smeared");
  s.add("links.ape_weight", &links.ape_weight, "weight of the old link beside the sum of the four spatial staples");
  s.add("links.stout_rho", &links.stout_rho, "weight of the staples");
  s.add("source.smearing", &source.smearing, "of the delta at the origin", SmearingChoice::names());
  add_choice(s, "source", source.choice);
  s.add("source.accuracy", &source.accuracy, "gaussian, node, theta, formula: error of their series, of sinks too");
  s.add("source.origins", &source.origins,
        "coordinates [x, y, z, t] of the sources on every configuration; none: source.count");
  s.add("source.count", &source.count, "sources on every configuration, spread over it");
  s.add("sink.smearings", &sink.smearings,
        "sinks that are contracted, of the same names; with the numbers below, those of the source unless they are "
        "given");
  add_choice(s, "sink", sink.choice);
  s.add("solver.method", &solver.method, "for the propagators", {"bicgstab", "bicgstab-2", "gcr", "cg"});
  s.add("solver.precision", &solver.precision, "of the solver's work; contractions are double, with 'single' single",
        {"double", "mixed", "single"});
  s.add("solver.preconditioner", &solver.preconditioner, "even-odd halves the work",
        {"even-odd", "even-odd-symmetric", "none"});
  s.add("solver.tolerance", &solver.tolerance, "|source - M solution| / |source| (cg: of the normal equations)");
  s.add("solver.max_iterations", &solver.max_iterations, "limit of iterations; a solve that needs more is an error");
  s.add("correlators.mesons", &correlators.mesons,
        "'diagonal' (16), 'all' (256), or names: 'pion', 'rho_x', 'pion-pion_A4' (sink-source)");
  s.add("correlators.baryons", &correlators.baryons, "'nucleon', 'all' (17), or names");
  s.add("correlators.momenta", &correlators.momenta, "[n_x, n_y, n_z] in units of 2 pi / L; none: max_momentum2");
  s.add("correlators.max_momentum2", &correlators.max_momentum2, "all momenta with n_x^2 + n_y^2 + n_z^2 up to this");
  s.add("analysis.pion", &analysis.pion,
        "first and last time whose effective masses are averaged, with weights 1 / error^2");
  s.add("analysis.rho", &analysis.rho, "the same");
  s.add("analysis.nucleon", &analysis.nucleon, "the same");
  s.add("analysis.bin", &analysis.bin, "configurations averaged before the jackknife");
  s.add("output.prefix", &output.prefix, "of the files written: PREFIX.h5, PREFIX.dat, PREFIX.svg, PREFIX.pdf");
  s.add("output.journal", &output.journal,
        "folder with what is finished, from which a killed run goes on; empty: PREFIX.journal");
  return s;
}

}  // namespace kov::app
