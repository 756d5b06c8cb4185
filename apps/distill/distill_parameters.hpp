// SPDX-License-Identifier: MIT
//
// The parameters of `kovariant distill`.
#pragma once

#include "apps/analyze/analyze_parameters.hpp"
#include "apps/distill/noise_choice.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/quarks/gauge_choice.hpp"
#include "apps/quarks/link_choice.hpp"
#include "apps/quarks/named_quarks.hpp"
#include "apps/quarks/solver_choice.hpp"
#include "kov/contractions/distillation/elementals.hpp"
#include "kov/contractions/distillation/laplacian_eigenvectors.hpp"
#include "kov/contractions/hadrons/baryon_operator.hpp"

namespace kov::app {

/// The mesons of a file of correlators.
enum class MesonPair { two_pions, pion_kaon };
inline constexpr MesonPair meson_pairs[] = {MesonPair::two_pions, MesonPair::pion_kaon};

/// Of an isospin: a pion and a kaon have 1/2 or 3/2, two pions 0, 1 or 2.
inline MesonPair pair_of(int twice_isospin) {
  return twice_isospin % 2 == 0 ? MesonPair::two_pions : MesonPair::pion_kaon;
}

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
  /// Instead of action: several quarks, and correlators of all pairs.
  NamedQuarks quarks;
  SolverChoice solver = {.auto_columns = AutoColumns::together};
  struct PerambulatorChoice {
    std::vector<int> times = {};
    int spacing = 4;
  } perambulators;
  NoiseChoice noise;
  struct CorrelatorChoice {
    std::vector<std::string> mesons = {"pion", "pion_A4"};
    /// Total momenta, of a pion and a kaon too.
    std::vector<Momentum> two_pions = {};
    std::vector<int> two_pion_isospin = {2};
    std::string two_pion_irrep = "A1";
    /// "a0", "rho", "rho_g4", "a0[dx]": single mesons beside them.
    std::vector<std::string> two_pion_mesons = {};
    /// "1/2", "3/2"
    std::vector<std::string> pion_kaon_isospin = {};
    /// "K0star", "Kstar", "Kstar_g4", "a0[dx]": single mesons beside a pion and a kaon.
    std::vector<std::string> pion_kaon_mesons = {};
    std::vector<std::string> baryons = {};
    /// The quarks that are u, d and s.
    std::vector<std::string> flavours = {};
  } correlators;
  MemoryChoice memory;
  struct Output {
    std::string prefix = "distill", journal;
    int precision = 64;
  } output;
  /// Of the run's own correlators, when all are there; its output.prefix is empty where none is wanted.
  AnalyzeParameters analysis;

  /// The settings, bound to this object's members.
  Settings settings();
  /// Fills in what follows from other keys and checks what types cannot.  Throws InputError that names the key.
  void complete(Settings& settings);
  /// Checks what the lattice decides.
  void check(const Settings& settings, const Coord& extent) const;
  /// Warnings about settings without effect.
  std::vector<std::string> warnings(const Settings& settings) const;

  /// Whether any are asked for.
  bool has_correlators() const {
    return !correlators.mesons.empty() || !correlators.two_pions.empty() || !correlators.baryons.empty();
  }

  LaplacianEigenParameters search() const;
  std::vector<ElementalLabel> labels() const;
  /// Of elementals of baryons.
  std::vector<Momentum> baryon_momenta() const { return momenta_up_to(elementals.max_baryon_momentum); }
  /// The source times on a lattice with this many.
  std::vector<int> source_times(int n_times) const;

  /// The quarks, or the one without a name that action and solver describe.
  std::vector<NamedQuark> all_quarks() const;
  /// The quark and the antiquark of single mesons, by their places in all_quarks(): every pair once.
  std::vector<std::array<std::size_t, 2>> quark_pairs() const;
  /// The perambulators of the quark and those of the antiquark that single mesons are contracted from, by their places
  /// in DistillFiles::perambulators: of a pair of quarks, and with noise every two different ones.
  std::vector<std::array<std::size_t, 2>> quark_lines(const std::array<std::size_t, 2>& pair) const;
  /// Columns of a file of perambulators, each a solve.
  int sources_of_a_file(int n_times) const;
  /// "light-strange"; of a quark without a name "".
  std::string pair_label(const std::array<std::size_t, 2>& pair) const;
  /// Those beside two pions, or beside a pion and a kaon.
  std::vector<std::string>& single_mesons(MesonPair pair) {
    return pair == MesonPair::pion_kaon ? correlators.pion_kaon_mesons : correlators.two_pion_mesons;
  }
  const std::vector<std::string>& single_mesons(MesonPair pair) const {
    return pair == MesonPair::pion_kaon ? correlators.pion_kaon_mesons : correlators.two_pion_mesons;
  }
  /// Twice the isospins whose matrices are made; none without total momenta.
  std::vector<int> twice_isospins(MesonPair pair) const;
  /// The places in all_quarks() of the quarks "u", "d" and "s" that correlators of two mesons, or of baryons, have.
  std::map<std::string, std::size_t> flavours_of(MesonPair pair) const;
  std::map<std::string, std::size_t> flavours_of(const std::vector<BaryonOperator>& operators) const;
  /// The places in all_quarks() of the quarks of all baryons, each once.
  std::vector<std::size_t> quarks_of_baryons() const;

  /// What the files of a configuration depend on beside it: equal texts, equal results.
  std::string eigenvector_identity() const;
  std::string elemental_identity() const;
  std::string perambulator_identity(const NamedQuark& quark) const;
  std::string baryon_elemental_identity() const;
  std::string correlator_identity(const std::vector<int>& source_times, const std::array<std::size_t, 2>& pair) const;
  std::string two_meson_identity(const std::vector<int>& source_times, MesonPair pair) const;
  std::string baryon_identity(const std::vector<int>& source_times) const;

 private:
  /// Writes displacements as to_string() does.
  void complete_single_mesons(const Settings& settings);
  /// Without the lattice.
  void check_two_mesons(const Settings& settings) const;
  /// That the names of single mesons are known, and their isospin is asked for.
  void check_single_mesons(const Settings& settings, MesonPair pair) const;
  void check_baryons(const Settings& settings) const;
  void check_noise(const Settings& settings) const;
  void check_quark(const Settings& settings, const QuarkAction& quark, const std::string& section) const;
  /// That quark lines of two mesons which stay on a slice can be had, and that there are operators.
  void check_annihilation(const Settings& settings, const Coord& extent) const;
  /// Perambulators of these quarks, by their places in all_quarks(), each once.
  std::string quarks_identity(const std::vector<std::size_t>& places) const;
};

}  // namespace kov::app
