// SPDX-License-Identifier: MIT
//
// Correlator: what contractions return and files hold: complex numbers against time with the labels that say what they
// are.
#pragma once

#include "kov/contractions/kernels/momentum_lists.hpp"

#include <complex>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kov {

/// A text or a number; files keep its type.
using LabelValue = std::variant<std::string, std::int64_t, double>;

/// The value as text; real numbers with as many digits as it takes to read them back.
std::string label_text(const LabelValue& value);

/// The source of correlators that have none, such as quark loops: their t counts from time 0 of the lattice.
inline constexpr Coord no_source{-1, -1, -1, -1};

/// Numbers against time with the labels that say what they are: a two-point or three-point function, or a loop.
struct Correlator {
  /// The kind of hadron: "meson", "baryon"; or "three-point", "loop", ...
  std::string kind;
  /// The channel: "pion-pion" (sink-source), "proton".
  std::string channel;
  Momentum momentum{0, 0, 0};
  /// Global coordinate of the source; no_source where there is none.
  Coord source{0, 0, 0, 0};
  /// Whatever else distinguishes it from others, for instance {"source_smearing", "gauss 2.0 5"}, {"kappa", 0.15}.  The
  /// label "configuration" is a dimension in files.
  std::map<std::string, LabelValue> labels = {};
  /// value[t], t counted from the source.
  std::vector<std::complex<double>> value = {};
};

/// Adds a label to every correlator of a list.
std::vector<Correlator> with_label(std::vector<Correlator> correlators, const std::string& name,
                                   const LabelValue& value);

/// Averages correlators that differ in nothing but momenta of one class (see representative()); the average carries the
/// representative momentum.  extent: the lattice's.  Throws InputError when lengths differ within a class.
std::vector<Correlator> average_equivalent_momenta(const std::vector<Correlator>& correlators, const Coord& extent);

/// What a file of correlators says about where they come from.
struct CorrelatorProvenance {
  /// Lattice extents.
  Coord extent{0, 0, 0, 0};
  /// What the program was asked to do, for instance {"action.kappa", 0.15}.
  std::map<std::string, LabelValue> parameters = {};
  /// What is known of each configuration, by the label of its correlators: {"1000", {{"plaquette", 0.5937}, ...}}.
  std::map<std::string, std::map<std::string, LabelValue>> inputs = {};
  /// What is known of the work on each configuration and source: {{"1000", {0, 0, 0, 0}}, {{"iterations", 141}, ...}}.
  std::map<std::pair<std::string, Coord>, std::map<std::string, LabelValue>> solves = {};
};

/// The conventions that numbers in these files follow, one line each.
const std::vector<std::string>& correlator_conventions();

}  // namespace kov
