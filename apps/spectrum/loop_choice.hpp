// SPDX-License-Identifier: MIT
//
// LoopChoice: the section [loops] of `kovariant spectrum`: quark loops from noise.
#pragma once

#include "apps/quarks/named_quarks.hpp"
#include "kov/contractions/hadrons/quark_loops.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// The settings [loops]: quark loops from diluted noise.
struct LoopChoice {
  /// 0: no loops.
  int hits = 0;
  std::vector<std::string> quarks = {};
  std::string noise = "z4";
  std::uint64_t seed = 1;
  std::vector<std::array<int, 3>> momenta{{0, 0, 0}};
  LoopDilution dilution = {};
  int hopping = 0, modes = 0;
  double mode_tolerance = 1e-5;

  /// Binds the members to their keys.
  void add_to(Settings& settings);
  /// Throws InputError, which names the key.
  void check(const Settings& settings, const std::vector<NamedQuark>& all) const;
  /// The same where it takes the extents.
  void check(const Settings& settings, const Coord& extent) const;
  /// Whether all solves can be counted.
  void check_solves(const Settings& settings, const std::vector<NamedQuark>& all, std::size_t n_configurations) const;

  /// Whether loops are measured.
  bool any() const { return hits > 0; }
  /// The places in `all` of the quarks whose loops are measured.
  std::vector<std::size_t> places(const std::vector<NamedQuark>& all) const;
  /// Spinor fields that are alive at once: noise and solutions, modes and the basis that they are found in.
  std::int64_t n_fields() const;
  /// Solves on a configuration.
  std::int64_t n_solves(const std::vector<NamedQuark>& all) const;
  /// Of a quark on a configuration of this name, whatever its folder: names have noise of their own.
  LoopParameters parameters(const NamedQuark& quark, const std::string& configuration) const;
  /// "8 hits of z4 noise in 4 parts, hopping expansion to order 2, ..."
  std::string description() const;
};

}  // namespace kov::app
