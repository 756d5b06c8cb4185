// SPDX-License-Identifier: MIT
//
// The parameters of `kovariant distill`.
#pragma once

#include "apps/quarks/gauge_choice.hpp"
#include "apps/quarks/link_choice.hpp"
#include "apps/quarks/quark_action.hpp"
#include "apps/quarks/solver_choice.hpp"
#include "kov/contractions/distillation/elementals.hpp"
#include "kov/contractions/distillation/laplacian_eigenvectors.hpp"

namespace kov::app {

/// One member for each section of the TOML file; docs/distillation.md explains the keys.
struct DistillParameters {
  GaugeChoice gauge = {.configurations = 1};
  LinkChoice links;
  struct Eigenvectors {
    int n = 12, block = 8, order = 0;
    double tolerance = 1e-10, cut = 0;
    std::uint64_t seed = 1;
  } eigenvectors;
  struct ElementalChoice {
    std::vector<std::string> displacements = {"1", "dx", "dy", "dz"};
    int max_momentum = 1, max_baryon_momentum = 1;
  } elementals;
  QuarkAction action;
  SolverChoice solver;
  struct PerambulatorChoice {
    std::vector<int> times = {};
    int spacing = 4;
  } perambulators;
  struct CorrelatorChoice {
    std::vector<std::string> mesons = {"pion", "pion_A4"};
    /// Total momenta.
    std::vector<Momentum> two_pions = {};
    std::vector<int> two_pion_isospin = {2};
    std::string two_pion_irrep = "A1";
    /// "a0", "rho", "rho_g4": single mesons beside them.
    std::vector<std::string> two_pion_mesons = {};
    std::vector<std::string> baryons = {};
  } correlators;
  struct Output {
    std::string prefix = "distill", journal;
    int precision = 64;
  } output;

  /// The settings, bound to this object's members.
  Settings settings();
  /// Fills in what follows from other keys and checks what types cannot.  Throws InputError that names the key.
  void complete(Settings& settings);
  /// Checks what the lattice decides.
  void check(const Settings& settings, const Coord& extent) const;
  /// Warnings about settings without effect.
  std::vector<std::string> warnings(const Settings& settings) const;

  LaplacianEigenParameters search() const;
  std::vector<ElementalLabel> labels() const;
  /// Of elementals of baryons.
  std::vector<Momentum> baryon_momenta() const { return momenta_up_to(elementals.max_baryon_momentum); }
  /// The source times on a lattice with this many.
  std::vector<int> source_times(int n_times) const;

  /// What the files of a configuration depend on beside it: equal texts, equal results.
  std::string eigenvector_identity() const;
  std::string elemental_identity() const;
  std::string perambulator_identity() const;
  std::string baryon_elemental_identity() const;
  std::string correlator_identity(const std::vector<int>& source_times) const;
  std::string two_pion_identity(const std::vector<int>& source_times) const;
  std::string baryon_identity(const std::vector<int>& source_times) const;

 private:
  /// Without the lattice.
  void check_two_pions(const Settings& settings) const;
  void check_baryons(const Settings& settings) const;
  /// That quark lines of two pions which stay on a slice can be had, and that there are operators.
  void check_annihilation(const Settings& settings, const Coord& extent) const;
};

}  // namespace kov::app
