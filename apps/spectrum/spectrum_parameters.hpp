// SPDX-License-Identifier: MIT
//
// The parameters of `kovariant spectrum`; their defaults are those of the demo.
#pragma once

#include "apps/files/memory_plan.hpp"
#include "apps/quarks/gauge_choice.hpp"
#include "apps/quarks/link_choice.hpp"
#include "apps/quarks/named_quarks.hpp"
#include "apps/quarks/solver_choice.hpp"
#include "apps/quarks/source_choice.hpp"
#include "apps/smear/smearing_choice.hpp"
#include "apps/spectrum/loop_choice.hpp"
#include "apps/spectrum/three_point_choice.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"

#include <map>

namespace kov::app {

/// One struct for each section of the TOML file; docs/program.md explains the keys.
struct SpectrumParameters {
  GaugeChoice gauge;
  QuarkAction action;
  /// Instead of action: several quarks, and correlators of all pairs.
  NamedQuarks quarks;
  LinkChoice links;
  SourceChoice source = {.count = 2};
  /// With the accuracy of the source, and the boost of each quark.
  struct Sink {
    std::vector<std::string> smearings{"none"};
    SmearingChoice choice;
  } sink;
  SolverChoice solver;
  struct Correlators {
    std::vector<std::string> mesons{"diagonal"}, baryons{"nucleon"}, flavours;
    std::vector<std::array<int, 3>> momenta;
    int max_momentum2 = 0;
  } correlators;
  ThreePointChoices three_points;
  LoopChoice loops;
  struct Analysis {
    std::vector<int> pion{4, 7}, rho{4, 7}, nucleon{3, 6};
    int bin = 1;

    /// Of a hadron by its name.
    const std::vector<int>& window(const std::string& hadron) const {
      return hadron == "pion" ? pion : hadron == "rho" ? rho : nucleon;
    }
  } analysis;
  MemoryChoice memory;
  struct Output {
    std::string prefix = "spectrum", journal;
  } output;

  /// The settings, bound to this object's members.
  Settings settings();
  /// Fills in values that follow from other keys (mass from kappa, the journal's name) and checks what types cannot.
  /// Throws InputError that names the key.
  void complete(Settings& settings);
  /// Checks what depends on the lattice: origins inside it, windows that were given within its times.
  void check(const Settings& settings, const Coord& extent) const;
  /// A warning for each window that was not given and reaches beyond the lattice's times.
  std::vector<std::string> window_warnings(const Settings& settings, const Coord& extent) const;

  /// The positions of sources on a configuration; none where loops alone are measured.
  std::vector<Coord> origins(const Coord& extent, const std::string& configuration) const;
  /// Warnings about the smearings in use.
  std::vector<std::string> smearing_warnings() const;
  /// The quarks, or the one without a name that action describes.
  std::vector<NamedQuark> all_quarks() const;
  /// "light-strange", the labels `quarks` of the correlators; "" for a quark without a name.  The first pair is that of
  /// the first quark with itself.
  std::vector<std::string> quark_pairs() const;
  /// How many quarks are solved for.
  int n_solved_quarks() const;
  /// Columns that are solved for at every origin, sequential ones included; and solves for the loops of a
  /// configuration.
  int n_solves_of_origin() const;
  std::int64_t n_solves_of_loops() const { return loops.n_solves(all_quarks()); }
  /// Whether there are correlators that start from an origin.
  bool has_sources() const;
  bool has_two_point_functions() const { return !correlators.mesons.empty() || !correlators.baryons.empty(); }
  std::size_t n_configurations() const {
    return gauge.files.empty() ? std::size_t(gauge.configurations) : gauge.files.size();
  }
  /// The place in all_quarks() of the quark that the currents of a table are on.
  std::size_t struck_quark(const ThreePointChoice& choice) const;
  std::vector<MesonChannel> meson_channels() const;
  std::vector<BaryonChannel> baryon_channels() const;
  /// Those of correlators.baryons that have quarks u, d and s.
  std::vector<BaryonOperator> baryon_operators() const;
  /// The numbers of the quarks in all_quarks() that are u, d and s; empty without baryon_operators().  Only those that
  /// these need are there.
  std::map<std::string, std::size_t> flavours() const { return flavours_of(baryon_operators()); }
  std::map<std::string, std::size_t> flavours_of(const std::vector<BaryonOperator>& operators) const;
  /// Whether the correlators of a hadron that has effective masses are among these: "pion", "rho", "nucleon".
  bool measures(const std::string& hadron) const;
  /// correlators.momenta, or those up to max_momentum2; momenta that coincide on the lattice are listed once.
  std::vector<Momentum> momenta(const Coord& extent) const;

  /// Every setting that a measurement on one configuration from one origin depends on, as text: equal texts, equal
  /// results.  Those of [loops] are apart, as loops are entries of their own.
  std::string identity(const Settings& settings) const;
  std::string loop_identity(const Settings& settings) const;

 private:
  /// Throws InputError for tables that are wrong, or have a correlator of an earlier one.
  void check_three_points(const Settings& settings) const;
  /// Throws InputError for baryons of noise.
  void check_noise(const Settings& settings) const;
};

}  // namespace kov::app
