// SPDX-License-Identifier: MIT
//
// ThreePointChoice: a table [[three_point]] of `kovariant spectrum`: three-point functions through sequential sources.
#pragma once

#include "apps/quarks/named_quarks.hpp"
#include "kov/contractions/hadrons/three_point.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// What stands at source and sink: one of the three.
struct ThreePointHadron {
  std::optional<MesonChannel> meson = {};
  /// Of two quarks q, q and p.
  std::optional<BaryonChannel> channel = {};
  /// Of octet or decuplet, summed over.
  std::vector<BaryonOperator> operators = {};

  bool is_baryon() const { return !meson; }
};

/// The currents of a choice: those of three_point_functions(), and directions of the conserved one.
struct ThreePointCurrents {
  std::vector<QuarkCurrent> local = {};
  std::vector<int> conserved = {};
};

/// A table [[three_point]] of the settings: hadron, quarks, currents, times of the sink and momenta.
struct ThreePointChoice {
  std::string hadron = "pion", struck = {};
  std::vector<std::string> quarks = {}, currents{"a0_g4"};
  std::vector<int> times{4};
  std::vector<std::array<int, 3>> momenta{{0, 0, 0}}, transfers{{0, 0, 0}};

  /// Binds the members to their keys.
  void add_to(Settings& settings, const std::string& section);
  /// Throws InputError, which names the key.
  void check(const Settings& settings, const std::string& section, const std::vector<NamedQuark>& all) const;
  /// The same where it takes the extents.
  void check(const Settings& settings, const std::string& section, const Coord& extent) const;
  /// The same where it takes the quark that is struck.
  void check_struck(const Settings& settings, const std::string& section, const NamedQuark& quark) const;
  /// One of the correlators that both have, in words, where their quarks are the same; empty when there is none.
  std::string common_correlator(const ThreePointChoice& other) const;

  /// Of `hadron`.  Throws InputError for any other name.
  ThreePointHadron resolved_hadron() const;
  /// Of `currents`, each once.  Throws InputError for any other name.
  ThreePointCurrents all_currents() const;
  /// The line of the hadron that the current is on: struck, or by default "quark" of a meson, "q" of q, q and p, the
  /// first quark of octet or decuplet.
  std::string struck_line() const;
  /// The two quarks of a meson or of q, q and p, by their place in `all`: those named, or the first.
  std::array<std::size_t, 2> two_quarks(const std::vector<NamedQuark>& all) const;
  /// Sequential propagators of one source and smearing of the sink.
  int n_sequential() const { return int(times.size() * momenta.size()); }
  /// Propagators that are alive at once beside the two that are contracted: derivatives, and what paths lead to.
  int n_moved() const;
};

/// In a deque, because settings are bound to them.
struct ThreePointChoices : std::deque<ThreePointChoice> {
  /// Likewise, table by table.
  void add_to(Settings& settings);
};

/// "three_point.0"
std::string three_point_section(std::size_t k);

}  // namespace kov::app
