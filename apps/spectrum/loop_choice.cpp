// SPDX-License-Identifier: MIT
#include "apps/spectrum/loop_choice.hpp"

#include "apps/settings/suggest.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/checksum.hpp"

#include <algorithm>
#include <filesystem>
#include <span>

namespace kov::app {

void LoopChoice::add_to(Settings& s) {
  s.add("loops.hits", &hits, "noise vectors on every configuration; 0: no quark loops");
  s.add("loops.quarks", &quarks, "whose loops are measured; none: all");
  s.add("loops.noise", &noise, "the distribution", {"z2", "z4", "u1", "gaussian"});
  s.add("loops.seed", &seed, "of the noise; configurations of other names have other noise");
  s.add("loops.momenta", &momenta, "[n_x, n_y, n_z] in units of 2 pi / L");
  s.add("loops.dilution_time", &dilution.time, "parts of the times; 1: none, the extent: every time by itself");
  s.add("loops.dilution_space", &dilution.space, "the same of each coordinate in space");
  s.add("loops.dilution_spin", &dilution.spin, "every spin by itself");
  s.add("loops.dilution_color", &dilution.color, "every colour by itself");
  s.add("loops.dilution_parity", &dilution.parity, "even and odd sites by themselves");
  s.add("loops.hopping", &hopping, "order of the hopping expansion that is known exactly, 0 to 4; of Wilson quarks");
  s.add("loops.modes", &modes, "lowest eigenvectors of gamma_5 M whose part is known exactly; 0: none");
  s.add("loops.mode_tolerance", &mode_tolerance, "their largest residual, relative to |gamma_5 M|");
}

void LoopChoice::check(const Settings& settings, const std::vector<NamedQuark>& all) const {
  const auto at_least = [&](const char* key, int value, int least) {
    require(value >= least, settings.origin(key), "is", value, "- it must be", least, "or more");
  };
  at_least("loops.hits", hits, 0);
  at_least("loops.modes", modes, 0);
  require(mode_tolerance > 0 && mode_tolerance < 1, settings.origin("loops.mode_tolerance"), "is", mode_tolerance,
          "- it must be positive and less than 1");
  at_least("loops.dilution_time", dilution.time, 1);
  at_least("loops.dilution_space", dilution.space, 1);
  require(hopping >= 0 && hopping <= 4, settings.origin("loops.hopping"), "is", hopping, "- it must be from 0 to 4");
  require(!momenta.empty(), settings.origin("loops.momenta"), "is empty: give at least one");
  for (std::size_t k = 0; k < momenta.size(); ++k)
    require(std::count(momenta.begin(), momenta.end(), momenta[k]) == 1, settings.origin("loops.momenta"),
            "has [" + to_string(momenta[k]) + "]", "twice: its loops would be the same");
  std::vector<std::string> names;
  for (const NamedQuark& quark : all)
    if (!quark.name.empty()) names.push_back(quark.name);
  for (const std::string& name : quarks) {
    require_quark(settings.origin("loops.quarks"), name, names);
    require(std::count(quarks.begin(), quarks.end(), name) == 1, settings.origin("loops.quarks"),
            "has '" + name + "' twice: its loops would be the same");
  }
  if (any() && modes > 0)
    for (const std::size_t q : places(all))
      require(all[q].mu == 0, settings.origin("loops.modes"), "is", std::to_string(modes) + ",", "but gamma_5 M of",
              all[q].action_name(), "quarks is not Hermitian: set it to 0");
  if (any() && hopping > 0)
    for (const std::size_t q : places(all)) {
      const NamedQuark& quark = all[q];
      require(!quark.is_improved() && quark.c_sw == 0 && quark.mu == 0, settings.origin("loops.hopping"), "is",
              std::to_string(hopping) + ",", "but the expansion of", quark.action_name(),
              "quarks is not known: it is for Wilson quarks without a clover term or twisted mass; set it to 0");
    }
}

void LoopChoice::check(const Settings& settings, const Coord& extent) const {
  if (!any()) return;
  require(modes == 0 || eigen_memory({.n = modes}).fits(volume(extent)), settings.origin("loops.modes"), "is",
          std::to_string(modes) + ",", "too many for the lattice", to_string(extent) + ": find fewer");
  require(extent[3] % dilution.time == 0, settings.origin("loops.dilution_time"), "is",
          std::to_string(dilution.time) + ",", "which does not divide the extent in time,", extent[3],
          ": give a divisor of it");
  for (std::size_t mu = 0; mu < 3; ++mu)
    require(extent[mu] % dilution.space == 0, settings.origin("loops.dilution_space"), "is",
            std::to_string(dilution.space) + ",", "which does not divide the extent", extent[mu],
            ": give a divisor of it");
  require(!dilution.parity || dilution.time % 2 != 0 || dilution.space % 2 != 0,
          settings.origin("loops.dilution_parity"),
          "is true, but even numbers of parts in time and space tell even sites from odd ones already: leave it out");
  for (const int n : extent)
    require(n >= hopping, settings.origin("loops.hopping"), "is", std::to_string(hopping) + ",",
            "whose paths wrap around the extent", n, ": give that or less");
}

void LoopChoice::check_solves(const Settings& settings, const std::vector<NamedQuark>& all,
                              std::size_t n_configurations) const {
  if (!any()) return;
  const std::int64_t parts = dilution.n_parts();
  require(parts <= LoopDilution::most_parts, settings.origin("loops.dilution_space"), "and the other dilutions make",
          parts, "parts, each of which is a solve, and at most", LoopDilution::most_parts, "are accepted: take fewer");
  constexpr double most = 1e9;
  const double solves = double(n_solves(all)) * double(n_configurations);
  require(solves <= most, settings.origin("loops.hits"), "is", std::to_string(hits) + ",", "which with", parts,
          "parts and", n_configurations, "configurations makes", solves, "solves: at most", most, "are accepted");
}

std::vector<std::size_t> LoopChoice::places(const std::vector<NamedQuark>& all) const {
  std::vector<std::size_t> found;
  for (std::size_t q = 0; q < all.size(); ++q)
    if (quarks.empty() || std::count(quarks.begin(), quarks.end(), all[q].name) > 0) found.push_back(q);
  return found;
}

std::int64_t LoopChoice::n_fields() const {
  if (!any()) return 0;
  // Noise, its part, that times g5, a solution and what applying M to it takes; with modes, the one at hand too.
  const std::int64_t of_noise = 6 + (modes > 0 ? modes + 1 : 0);
  return modes > 0 ? std::max(of_noise, eigen_memory({.n = modes}).fields + 1) : of_noise;
}

std::int64_t LoopChoice::n_solves(const std::vector<NamedQuark>& all) const {
  return any() ? hits * dilution.n_parts() * std::int64_t(places(all).size()) : 0;
}

LoopParameters LoopChoice::parameters(const NamedQuark& quark, const std::string& configuration) const {
  const std::string name = std::filesystem::path(configuration).filename().string();
  const std::uint32_t of_name = crc32(std::as_bytes(std::span(name.data(), name.size())));
  const NoiseKind kind = noise == "z2"   ? NoiseKind::z2
                         : noise == "z4" ? NoiseKind::z4
                         : noise == "u1" ? NoiseKind::u1
                                         : NoiseKind::gaussian;
  const double space = quark.nu / quark.xi0;
  return {.noise = {.kind = kind, .seed = seed + (std::uint64_t(of_name) << 32)},
          .hits = hits,
          .dilution = dilution,
          .hopping = {.order = hopping, .diagonal = 1 + 3 * space + quark.mass}};
}

std::string LoopChoice::description() const {
  std::string text = sentence(hits, hits == 1 ? "hit of" : "hits of", noise, "noise in", dilution.n_parts(),
                              dilution.n_parts() == 1 ? "part" : "parts");
  if (hopping > 0) text += sentence(", hopping expansion to order", hopping);
  if (modes > 0) text += sentence(",", modes, modes == 1 ? "low mode" : "low modes");
  return text;
}

}  // namespace kov::app
