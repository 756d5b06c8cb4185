// SPDX-License-Identifier: MIT
#include "apps/analyze/analyze_parameters.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <utility>

namespace kov::app {

Settings AnalyzeParameters::settings() {
  Settings s;
  add_to(s);
  return s;
}

void AnalyzeParameters::add_to(Settings& s, const std::string& section) {
  before_keys = section.empty() ? "" : section + ".";
  const bool of_any_file = section.empty();
  const auto add = [&](const std::string& key, SettingTarget target, const std::string& text,
                       std::vector<std::string> choices = {}) {
    s.add(before_keys + key, target, text, std::move(choices));
  };
  add("data.channels", &data.channels, "channels to take, names or patterns such as 'rho_*'; none: all");
  add("data.part", &data.part, "of complex correlators; automatic: the larger one of each",
      {"automatic", "real", "imaginary"});
  add("data.fold", &data.fold,
      "average t and T - t: even and odd correlators; automatic: as each one is, baryons and others are not folded; "
      "never of "
      "three-point functions and loops",
      {"automatic", "none", "even", "odd"});
  add("data.average_momenta", &data.average_momenta,
      "over those that the lattice's rotations turn into each other: of mesons and baryons with one operator, without "
      "gevp.operators");
  if (of_any_file) add("data.extent", &data.extent, "x y z t of the lattice, for files that do not say it");
  add("errors.method", &errors.method, "of errors; gamma: with autocorrelation, from histories in the order of files",
      {"jackknife", "bootstrap", "gamma"});
  add("errors.bin", &errors.bin, "neighbouring configurations averaged before that");
  add("errors.replicas", &errors.replicas, "of the bootstrap");
  add("errors.seed", &errors.seed, "of the bootstrap");
  add("errors.s", &errors.s, "of the Gamma method: assumed ratio of exponential and integrated autocorrelation time");
  add("errors.chains", &errors.chains,
      "of the Gamma method: lengths of the independent chains that samples are made of; none: one chain");
  add("fit.form", &fit.form, "of a state; automatic: cosh for even, sinh for odd folded correlators, else exponential",
      {"automatic", "exponential", "cosh", "sinh"});
  add("fit.states", &fit.states, "in the fit, 1 or 2; 0: fits of both are averaged");
  add("fit.first", &fit.first, "earliest time of a fit");
  add("fit.last", &fit.last, "latest time; 0: before relative errors exceed fit.noise");
  add("fit.noise", &fit.noise, "relative error at which fits end");
  add("fit.points", &fit.points, "fewest times of a fit");
  add("fit.ranges", &fit.ranges, "most ranges that are averaged; they differ in their first time");
  add("fit.covariance", &fit.covariance,
      "of the times; automatic: full with twice as many samples as times, else shrinkage",
      {"automatic", "full", "shrinkage", "svd", "diagonal"});
  add("fit.shrinkage", &fit.shrinkage, "correlations are multiplied by 1 minus this; negative: the best estimate");
  add("fit.svd_cut", &fit.svd_cut, "smallest eigenvalue of the correlation matrix, relative to the largest");
  add("gevp.operators", &gevp.operators,
      "two or more, whose correlators sink-source make a matrix, for instance 'pion', 'pion_A4'");
  add("gevp.reference", &gevp.reference, "t0: gevp.t0, t - 1, or t / 2 rounded up", {"fixed", "previous", "half"});
  add("gevp.t0", &gevp.t0, "of the fixed reference");
  add("gevp.tracking", &gevp.tracking,
      "what makes a state that of another time: the order of eigenvalues, or vectors of t0 + 1 or of the time before",
      {"sorted", "fixed", "running"});
  if (of_any_file) {
    add("disconnected.channels", &disconnected.channels,
        "of quark loops whose products are correlators: sink-source such as 'pion-pion_A4', or names and patterns of "
        "loops "
        "with themselves");
    add("disconnected.flavours", &disconnected.flavours,
        "of an isoscalar meson, N_f: connected less N_f times disconnected correlators are analysed, too; 0: not");
    add("disconnected.exact", &disconnected.exact,
        "loops have no noise, so that products of a hit with itself count; else only those of different hits do");
    add("ratio.skip", &ratio.skip,
        "of three-point to two-point functions: times at source and sink that plateaux and sums leave out");
  }
  if (of_any_file) add("output.prefix", &output.prefix, "of the files written");
  add("output.pictures", &output.pictures, "channels in pictures, names or patterns; none: six of smallest errors");
  add("output.rows", &output.rows, "most rows of a table on standard output; files have all");
  add("output.effective_mass", &output.effective_mass,
      "automatic: between t and t + 1, of fit.form; symmetric: arcosh((C(t - 1) + C(t + 1)) / 2 C(t)) at t",
      {"automatic", "symmetric"});
}

void AnalyzeParameters::check() const {
  const auto at_least = [&](const char* key, int value, int least) {
    require(value >= least, before_keys + key, "is", value, "- it must be", least, "or more");
  };
  at_least("errors.bin", errors.bin, 1);
  at_least("errors.replicas", errors.replicas, 2);
  require(errors.s > 0, before_keys + "errors.s", "is", errors.s, "- it must be positive, usually 1 to 2");
  require(!errors.is_gamma() || errors.bin == 1, before_keys + "errors.bin", "is", errors.bin,
          "but the Gamma method takes the history as it is: leave it out");
  require(errors.chains.empty() || errors.is_history(), before_keys + "errors.chains", "is given, but", errors.method,
          "has no history of single samples; take errors.method gamma, or leave it out");
  for (const int n : errors.chains)
    require(n >= 4, before_keys + "errors.chains", "has", n, "- a chain has four samples or more");
  require(fit.states >= 0 && fit.states <= 2, before_keys + "fit.states", "is", fit.states,
          "- it must be 1 or 2, or 0 for both");
  at_least("fit.first", fit.first, 0);
  at_least("fit.last", fit.last, 0);
  require(fit.last == 0 || fit.last > fit.first, before_keys + "fit.last", "is", fit.last, "- it must be later than",
          "fit.first,", std::to_string(fit.first) + ", or 0");
  const int fewest = std::max(fit.states, 1);
  require(fit.points > 2 * fewest, before_keys + "fit.points", "is", fit.points, "- it must be more than the",
          2 * fewest, "parameters of the fit");
  at_least("fit.ranges", fit.ranges, 1);
  require(fit.noise > 0, before_keys + "fit.noise", "is", fit.noise, "- it must be positive");
  require(fit.shrinkage <= 1, before_keys + "fit.shrinkage", "is", fit.shrinkage,
          "- it must be from 0 to 1, or negative");
  require(fit.svd_cut > 0 && fit.svd_cut <= 1, before_keys + "fit.svd_cut", "is", fit.svd_cut,
          "- it must be above 0 and at most 1");
  require(gevp.operators.size() != 1, before_keys + "gevp.operators",
          "has one operator, but a matrix takes two or more");
  at_least("gevp.t0", gevp.t0, 0);
  at_least("disconnected.flavours", disconnected.flavours, 0);
  require(disconnected.flavours == 0 || !disconnected.channels.empty(), "disconnected.flavours is",
          disconnected.flavours, "but disconnected.channels names no loops");
  at_least("ratio.skip", ratio.skip, 0);
  at_least("output.rows", output.rows, 1);
  for (const int n : data.extent)
    require(n > 0 || data.extent == Coord{0, 0, 0, 0}, "data.extent has", n, "- extents are positive");
}

FitOptions AnalyzeParameters::fit_options(FitForm form, int n_times, int n_states) const {
  FitCovariance covariance = FitCovariance::automatic;
  if (fit.covariance == "full") covariance = FitCovariance::full;
  if (fit.covariance == "shrinkage") covariance = FitCovariance::shrinkage;
  if (fit.covariance == "svd") covariance = FitCovariance::svd;
  if (fit.covariance == "diagonal") covariance = FitCovariance::diagonal;
  return {n_states, form, n_times, covariance, fit.shrinkage, fit.svd_cut};
}

GevpOptions AnalyzeParameters::gevp_options() const {
  return {.reference = gevp.reference == "fixed"      ? GevpReference::fixed
                       : gevp.reference == "previous" ? GevpReference::previous
                                                      : GevpReference::half,
          .t0 = gevp.t0,
          .tracking = gevp.tracking == "sorted"  ? GevpTracking::sorted
                      : gevp.tracking == "fixed" ? GevpTracking::fixed
                                                 : GevpTracking::running};
}

}  // namespace kov::app
