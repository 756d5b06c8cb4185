// SPDX-License-Identifier: MIT
//
// The parameters of `kovariant analyze`.
#pragma once

#include "apps/settings/settings.hpp"
#include "kov/contractions/energies/autocorrelation.hpp"
#include "kov/contractions/energies/dispersion.hpp"
#include "kov/contractions/energies/fit.hpp"
#include "kov/contractions/energies/gevp.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kov::app {

/// One struct for each section, whose members have the names of its keys; docs/analysis.md explains them.
struct AnalyzeParameters {
  struct Data {
    std::vector<std::string> channels;
    std::string part = "automatic", fold = "automatic";
    bool average_momenta = true;
    Coord extent{0, 0, 0, 0};
  } data;
  struct Errors {
    std::string method = "jackknife";
    int bin = 1, replicas = 500;
    std::uint64_t seed = 1;
    /// Of the Gamma method.
    double s = 1.5;
    std::vector<int> chains;

    /// Whether errors are those of the Gamma method.
    bool is_gamma() const { return method == "gamma"; }
    /// Whether the replicas are those of single samples in their order, so that they have an autocorrelation.
    bool is_history() const { return is_gamma() || (method == "jackknife" && bin == 1); }
    GammaMethod gamma_method() const { return {s, {chains.begin(), chains.end()}}; }
  } errors;
  struct FitChoice {
    std::string form = "automatic", covariance = "automatic";
    /// 1, 2, or 0 for both.
    int states = 1, first = 1, last = 0, points = 4, ranges = 10;
    double noise = 0.3, shrinkage = -1, svd_cut = 1e-3;
  } fit;
  struct GevpChoice {
    std::vector<std::string> operators;
    std::string reference = "fixed", tracking = "running";
    int t0 = 1;
  } gevp;
  struct DisconnectedChoice {
    /// sink-source, or patterns of loops with themselves.
    std::vector<std::string> channels;
    /// N_f of isoscalar correlators; 0: none.
    int flavours = 0;
    bool exact = false;
  } disconnected;
  struct RatioChoice {
    int skip = 1;
  } ratio;
  struct Output {
    std::string prefix = "analysis";
    std::vector<std::string> pictures;
    int rows = 40;
    std::string effective_mass = "automatic";

    bool has_symmetric_masses() const { return effective_mass == "symmetric"; }
  } output;
  /// In front of the names of keys in messages: empty, or with a dot at its end.
  std::string before_keys = {};

  /// The settings of `kovariant analyze`, bound to this object's members.
  Settings settings();
  /// Those that any program has which analyses its own correlators, in sections `section`.data and so on: all but what
  /// files lack, what is of loops and three-point functions, and output.prefix.
  void add_to(Settings& settings, const std::string& section = "");
  /// Checks what types cannot.  Throws InputError that names the key.
  void check() const;

  /// n_states: 1 or 2.
  FitOptions fit_options(FitForm form, int n_times, int n_states) const;
  GevpOptions gevp_options() const;
};

}  // namespace kov::app
