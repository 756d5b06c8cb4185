// SPDX-License-Identifier: MIT
//
// What is checked of two mesons.
#include "apps/distill/displaced_mesons.hpp"
#include "apps/distill/distill_parameters.hpp"
#include "apps/distill/two_mesons.hpp"
#include "apps/settings/shown.hpp"
#include "apps/settings/suggest.hpp"

#include <algorithm>

namespace kov::app {

namespace {

/// The setting of DistillParameters::single_mesons().
std::string single_meson_key(MesonPair pair) {
  return pair == MesonPair::pion_kaon ? "correlators.pion_kaon_mesons" : "correlators.two_pion_mesons";
}

}  // namespace

void DistillParameters::complete_single_mesons(const Settings& settings) {
  for (const MesonPair pair : meson_pairs)
    for (std::string& name : single_mesons(pair))
      if (is_displaced(name)) try {
          name = meson_operator(name).name();
        } catch (const InputError& error) {
          throw InputError(sentence(settings.origin(single_meson_key(pair)) + ":", error.what()));
        }
}

void DistillParameters::check_two_mesons(const Settings& settings) const {
  const auto& chosen = correlators;
  const std::string isospins = settings.origin("correlators.two_pion_isospin");
  require(!chosen.two_pion_isospin.empty() || !chosen.pion_kaon_isospin.empty(), isospins,
          "is empty: give one of 0, 1 and 2 at least, or correlators.pion_kaon_isospin");
  for (const int isospin : chosen.two_pion_isospin) {
    require(isospin >= 0 && isospin <= 2, isospins, "has", isospin, "- two pions have 0, 1 or 2");
    require(std::count(chosen.two_pion_isospin.begin(), chosen.two_pion_isospin.end(), isospin) == 1, isospins, "has",
            isospin, "twice: each once is enough");
  }
  const std::string of_kaons = settings.origin("correlators.pion_kaon_isospin");
  for (const std::string& isospin : chosen.pion_kaon_isospin) {
    require(isospin == "1/2" || isospin == "3/2", of_kaons, "has", isospin, "- a pion and a kaon have 1/2 or 3/2");
    require(std::count(chosen.pion_kaon_isospin.begin(), chosen.pion_kaon_isospin.end(), isospin) == 1, of_kaons, "has",
            isospin, "twice: each once is enough");
  }
  require(chosen.pion_kaon_isospin.empty() || !chosen.two_pions.empty(), of_kaons,
          "is given without total momenta: name them by correlators.two_pions, such as [[0, 0, 0]]");
  require(chosen.pion_kaon_isospin.empty() || quarks.size() > 1 || !chosen.flavours.empty(), of_kaons,
          "needs a strange quark, but there is one quark here, for u and d: give two in tables [[quark]]");
  const std::string two_pions = settings.origin("correlators.two_pions");
  const auto& displacements = elementals.displacements;
  require(chosen.two_pions.empty() || std::count(displacements.begin(), displacements.end(), "1") == 1, two_pions,
          "needs pions without displacement, '1', which is not among elementals.displacements: add it there");
  for (const MesonPair pair : meson_pairs)
    if (!twice_isospins(pair).empty()) flavours_of(pair);
  const std::vector<Momentum> momenta = momenta_up_to(elementals.max_momentum);
  for (const Momentum& total : chosen.two_pions) {
    require(std::count(chosen.two_pions.begin(), chosen.two_pions.end(), total) == 1, two_pions, "has",
            to_string(total), "twice: each once is enough");
    const bool is_small = std::all_of(total.begin(), total.end(), [&](int n) {
      return n >= -2 * elementals.max_momentum && n <= 2 * elementals.max_momentum;
    });
    require(
        is_small &&
            std::any_of(momenta.begin(), momenta.end(),
                        [&](const Momentum& p) {
                          return norm2({total[0] - p[0], total[1] - p[1], total[2] - p[2]}) <= elementals.max_momentum;
                        }),
        two_pions, "has", to_string(total), "which no two momenta add up to: elementals.max_momentum is",
        elementals.max_momentum, "- make it larger");
  }
  check_single_mesons(settings, MesonPair::two_pions);
  check_single_mesons(settings, MesonPair::pion_kaon);
}

void DistillParameters::check_single_mesons(const Settings& settings, MesonPair pair) const {
  const bool has_kaon = pair == MesonPair::pion_kaon;
  const std::string stem = has_kaon ? "correlators.pion_kaon_" : "correlators.two_pion_",
                    mesons = settings.origin(single_meson_key(pair));
  const std::vector<std::string>& chosen = single_mesons(pair);
  const std::vector<std::string> names = has_kaon ? std::vector<std::string>{"K0star", "Kstar", "Kstar_g4"}
                                                  : std::vector<std::string>{"a0", "rho", "rho_g4"};
  std::vector<std::string> isospins = correlators.pion_kaon_isospin;
  if (!has_kaon) {
    isospins.clear();
    for (const int isospin : correlators.two_pion_isospin) isospins.push_back(std::to_string(isospin));
  }
  for (const std::string& name : chosen) {
    require(is_displaced(name) || std::count(names.begin(), names.end(), name) == 1, mesons, "must have",
            quoted_list(names) + ", and gamma matrices with a displacement, such as 'a0[dx]' and 'pion_A4[1]', but has",
            "'" + shown(name) + "'" + did_you_mean(name, names));
    require(std::count(chosen.begin(), chosen.end(), name) == 1, mesons, "has", name, "twice: each once is enough");
    const std::string isospin = has_kaon ? "1/2" : name == "a0" ? "0" : "1";
    // What isospin a displaced one has follows from its projection, see check_annihilation().
    require(is_displaced(name) || std::count(isospins.begin(), isospins.end(), isospin) == 1, mesons, "has", name,
            "of isospin", isospin + ", which is not in " + stem + "isospin: add it there");
    for (const Momentum& total : correlators.two_pions)
      require(norm2(total) <= elementals.max_momentum, settings.origin("correlators.two_pions"), "has",
              to_string(total) + ", but a meson with it needs", "elementals.max_momentum =", norm2(total), "or more");
  }
}

void DistillParameters::check_annihilation(const Settings& settings, const Coord& extent) const {
  for (const MesonPair pair : meson_pairs) {
    const bool has_kaon = pair == MesonPair::pion_kaon;
    const std::vector<int> all = twice_isospins(pair);
    const std::string isospins =
        settings.origin(has_kaon ? "correlators.pion_kaon_isospin" : "correlators.two_pion_isospin");
    require(std::all_of(all.begin(), all.end(), [](int twice_isospin) { return twice_isospin > 2; }) ||
                int(source_times(extent[3]).size()) == extent[3],
            isospins, "has", has_kaon ? "1/2," : "0 or 1,",
            "whose quark lines begin and end on one slice too: this needs perambulators from all", extent[3],
            "times, so set perambulators.spacing = 1 and leave out perambulators.times, or name all times there");
    const std::vector<TwoMesonGroup> groups = two_meson_groups(*this, extent, pair);
    for (const std::string& name : single_mesons(pair))
      require(groups.empty() || !is_displaced(name) ||
                  std::any_of(groups.begin(), groups.end(),
                              [&](const TwoMesonGroup& group) {
                                return std::any_of(
                                    group.operators.begin(), group.operators.end(),
                                    [&](const MultiMesonOperator& op) { return op.name.starts_with(name + "_I"); });
                              }),
              settings.origin(single_meson_key(pair)), "has",
              name + ", which has no part in these irreps and isospins:",
              "leave it out, or set correlators.two_pion_irrep = 'none'");
    for (const TwoMesonGroup& group : groups)
      require(std::any_of(group.operators.begin(), group.operators.end(),
                          [](const MultiMesonOperator& op) { return op.name.starts_with("pion_"); }),
              isospins, "has", isospin_text(group.twice_isospin) + ", but with total momentum",
              to_string(group.total) + ",", "no two different momenta make an operator of",
              "'" + (group.irrep.empty() ? std::string("none") : group.irrep) + "':",
              "make elementals.max_momentum larger, or set correlators.two_pion_irrep = 'none'");
  }
}

}  // namespace kov::app
