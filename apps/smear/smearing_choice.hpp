// SPDX-License-Identifier: MIT
//
// The quark smearings that programs offer by name, and their parameters.
#pragma once

#include "apps/settings/settings.hpp"
#include "kov/stencil/smearing/quark_smearing.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kov::app {

/// The parameters of all smearings, in lattice units; each smearing uses its own.
struct SmearingChoice {
  /// wuppertal: (1 + w^2 / (4 N) Laplacian)^N.
  double width = 3;
  int iterations = 20;
  /// gaussian and node: of exp(-p^2 sigma^2 / 2).
  double sigma = 2;
  /// node: its radius; 0: sqrt(3/2) sigma.
  double node = 0;
  /// theta: the largest p^2 kept, and the width of its edge.
  double p2_max = 1, edge = 0.25;
  /// formula: F(p^2) in p2, as parse_formula() reads it.
  std::string formula = {};

  /// "wuppertal", "gaussian", "node", "theta", "formula", "none".
  static const std::vector<std::string>& names();

  /// The numbers as keys of a section.
  void add_to(Settings& settings, const std::string& section);
  /// Checks the numbers, whatever the smearing, and that the smearings of these names leave something of a source:
  /// throws InputError; key("width") is what the user calls that number.
  void check(const std::function<std::string(const std::string&)>& key, const std::vector<std::string>& names) const;
  /// A warning about the parameters of this smearing; empty when there is none.
  std::string warning(const std::string& name) const;
  /// The smearing of this name.
  SmearingShape shape(const std::string& name) const;
  /// F(p^2), of Wuppertal's too.
  RealFunction profile(const std::string& name) const;
  /// The formula and its numbers, for captions.
  std::string description(const std::string& name) const;
};

/// Weights of link smearing beyond which nothing but roundings is left of the links, in either sign.
inline constexpr double largest_ape_weight = 1e6, largest_stout_rho = 10;

/// Throws InputError unless the number, which the user calls `name`, is finite and lies between the two limits.
void require_between(const std::string& name, double value, double low, double high);

}  // namespace kov::app
