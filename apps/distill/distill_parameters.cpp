// SPDX-License-Identifier: MIT
#include "apps/distill/distill_parameters.hpp"

#include "apps/distill/baryons.hpp"
#include "apps/distill/two_mesons.hpp"
#include "apps/files/output_files.hpp"
#include "apps/settings/suggest.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <set>

namespace kov::app {

namespace {

/// The places of flavours, each once, in ascending order.
std::vector<std::size_t> places_of(const std::map<std::string, std::size_t>& flavours) {
  std::set<std::size_t> places;
  for (const auto& [flavour, place] : flavours) places.insert(place);
  return {places.begin(), places.end()};
}

std::string times_text(const std::vector<int>& source_times) {
  std::string text = " times";
  for (const int t : source_times) text += " " + std::to_string(t);
  return text;
}

}  // namespace

Settings DistillParameters::settings() {
  Settings s;
  gauge.add_to(s);
  links.add_to(s);
  s.add("eigenvectors.n", &eigenvectors.n,
        "lowest eigenvectors of -Laplacian on each time slice, on the links of [links]");
  s.add("eigenvectors.tolerance", &eigenvectors.tolerance, "largest |-Laplacian v - lambda v|");
  s.add("eigenvectors.block", &eigenvectors.block, "vectors that the filter is applied to at a time");
  s.add("eigenvectors.cut", &eigenvectors.cut, "from here to 12 the filter damps; 0: by an estimate of the spectrum");
  s.add("eigenvectors.order", &eigenvectors.order, "of the filter's Chebyshev polynomial; 0: from cut and spectrum");
  s.add("eigenvectors.seed", &eigenvectors.seed, "of the start vectors");
  s.add("elementals.displacements", &elementals.displacements,
        "products of shifts '+x', '-x' and derivatives 'dx' along x, y and z, such as 'dx dy'; '1' for none");
  s.add("elementals.max_momentum", &elementals.max_momentum, "all momenta 2 pi n / L with n^2 up to this");
  s.add("elementals.max_baryon_momentum", &elementals.max_baryon_momentum,
        "the same of baryons, whose elementals have n^3 numbers; as of mesons unless given");
  action.add_to(s, "action");
  solver.add_to(s);
  s.add("perambulators.times", &perambulators.times, "source times; empty: every one that is a multiple of spacing");
  s.add("perambulators.spacing", &perambulators.spacing, "of the source times; 1: all");
  noise.add_to(s);
  s.add(
      "correlators.mesons", &correlators.mesons,
      "gamma matrices, by the names of their mesons, that make operators with every displacement; []: no correlators");
  s.add("correlators.two_pions", &correlators.two_pions,
        "total momenta [n_x, n_y, n_z] of two pions, and of a pion and a kaon, which share the momenta up to "
        "elementals.max_momentum; []: none");
  s.add("correlators.two_pion_isospin", &correlators.two_pion_isospin,
        "of two pions, each a matrix of its own; 0 and 1 need all source times");
  s.add("correlators.two_pion_irrep", &correlators.two_pion_irrep,
        "of the rotations that leave the total momentum, which two pions are projected onto (T1 for isospin 1 at rest, "
        "which has no A1; a pion and a kaon at rest have both); none: every pair of momenta",
        {"A1", "none"});
  s.add("correlators.two_pion_mesons", &correlators.two_pion_mesons,
        "operators beside two pions: 'a0' (the unit matrix) with isospin 0, 'rho' and 'rho_g4' with isospin 1, and any "
        "gamma matrix with a displacement, such as 'a0[dx]' and, without one, 'pion_A4[1]'");
  s.add("correlators.pion_kaon_isospin", &correlators.pion_kaon_isospin,
        "of a pion and a kaon, '1/2' and '3/2', each a matrix of its own; 1/2 needs all source times; []: none");
  s.add("correlators.pion_kaon_mesons", &correlators.pion_kaon_mesons,
        "operators beside a pion and a kaon of isospin 1/2: 'K0star' (the unit matrix), 'Kstar' and 'Kstar_g4', and "
        "displaced ones as of two pions");
  s.add("correlators.baryons", &correlators.baryons,
        "'proton', 'delta_pp' and so on, every spin component; with _np those of lower components; []: none");
  s.add("correlators.flavours", &correlators.flavours,
        "the quarks that are u, d and s in two mesons and baryons; none: those with these names, or the only one");
  memory.add_to(s);
  s.add("output.prefix", &output.prefix, "of the files written: PREFIX.CONFIGURATION.eigenvectors.h5 and so on");
  s.add("output.journal", &output.journal,
        "folder for finished source times of two mesons and baryons, from which a killed run goes on; empty: "
        "PREFIX.journal");
  s.add("output.precision", &output.precision, "of numbers in files: 64, 32 or 16 bits");
  analysis.output.prefix.clear();
  s.add("analysis.prefix", &analysis.output.prefix,
        "of tables and pictures of energies, made when all correlators are there, as kovariant analyze makes them; "
        "empty: none");
  analysis.add_to(s, "analysis");
  quarks.add_to(s, {}, QuarkBoost::none);
  return s;
}

void DistillParameters::complete(Settings& settings) {
  gauge.check(settings);
  links.check(settings);
  solver.check(settings);
  action.complete(settings, "action");
  quarks.complete(settings, solver);
  quarks.check_together(settings, action, solver, correlators.flavours);
  if (!settings.given("gauge.extent")) settings.follows("gauge.extent");
  const auto positive = [&](const std::string& key, double value) {
    require(value >= 1, settings.origin(key), "is", value, "- it must be positive");
  };
  positive("eigenvectors.n", eigenvectors.n);
  positive("eigenvectors.block", eigenvectors.block);
  positive("perambulators.spacing", perambulators.spacing);
  memory.check(settings);
  require(eigenvectors.tolerance >= 1e-13 && eigenvectors.tolerance < 1, settings.origin("eigenvectors.tolerance"),
          "is", eigenvectors.tolerance, "- it must be from 1e-13, what double precision can give, to 1");
  require(eigenvectors.cut >= 0 && eigenvectors.cut < 12, settings.origin("eigenvectors.cut"), "is", eigenvectors.cut,
          "- it must be between 0 and 12, the largest eigenvalue of -Laplacian");
  require(eigenvectors.order >= 0 && eigenvectors.order <= 1000, settings.origin("eigenvectors.order"), "is",
          eigenvectors.order, "- it must be from 0 to 1000");
  check_quark(settings, action, "action");
  for (std::size_t q = 0; q < quarks.size(); ++q) check_quark(settings, quarks[q], "quark." + std::to_string(q));
  require(elementals.max_momentum >= 0 && elementals.max_momentum <= 100, settings.origin("elementals.max_momentum"),
          "is", elementals.max_momentum, "- it must be from 0 to 100");
  require(!elementals.displacements.empty(), settings.origin("elementals.displacements"),
          "is empty: write ['1'] for elementals without displacement");
  for (std::string& text : elementals.displacements) {
    try {
      text = to_string(spatial_operator(text));
    } catch (const InputError& error) {
      throw InputError(sentence(settings.origin("elementals.displacements") + ":", error.what()));
    }
    require(std::count(elementals.displacements.begin(), elementals.displacements.end(), text) == 1,
            settings.origin("elementals.displacements"), "has", text, "twice: each once is enough");
  }
  for (const std::string& meson : correlators.mesons) {
    require(meson_number(meson).has_value(), settings.origin("correlators.mesons"),
            not_a_choice(meson, {meson_names().begin(), meson_names().end()}));
    require(std::count(correlators.mesons.begin(), correlators.mesons.end(), meson) == 1,
            settings.origin("correlators.mesons"), "has", meson, "twice: each once is enough");
  }
  if (!settings.given("elementals.max_baryon_momentum")) {
    elementals.max_baryon_momentum = elementals.max_momentum;
    settings.follows("elementals.max_baryon_momentum");
  }
  complete_single_mesons(settings);
  check_two_mesons(settings);
  check_baryons(settings);
  check_noise(settings);
  require(output.precision == 64 || output.precision == 32 || output.precision == 16,
          settings.origin("output.precision"), "is", output.precision, "- it must be 64, 32 or 16 (bits)");
  require<NotBuilt>(has_hdf5(),
                    "this build has no HDF5, which the files of distillation are: configure with KOV_HDF5=ON");
  require(names_files(output.prefix), settings.origin("output.prefix"),
          "is '" + output.prefix + "': the files need a name");
  if (!analysis.output.prefix.empty()) {
    analysis.check();
    require(has_correlators(), settings.origin("analysis.prefix"),
            "is given, but no correlators are asked for: name mesons, two pions or baryons in [correlators]");
  }
  if (output.journal.empty()) {
    output.journal = output.prefix + ".journal";
    settings.follows("output.journal");
  }
}

void DistillParameters::check_quark(const Settings& settings, const QuarkAction& quark,
                                    const std::string& section) const {
  const auto& angle = quark.boundary_angles().angle;
  require(angle[0] == 0 && angle[1] == 0 && angle[2] == 0, settings.origin(section + ".theta"),
          "twists the quark's boundary, but eigenvectors are periodic in space: leave it out");
  require(quark.mu == 0, settings.origin(section + ".mu"),
          "is not 0, but correlators take tau(t, t') from tau(t', t) by gamma_5, which holds without a twisted mass");
}

void DistillParameters::check_baryons(const Settings& settings) const {
  const auto& chosen = correlators;
  const std::vector<std::string> with_strange = baryon_names(), light = light_baryon_names(),
                                 &names = quarks.size() > 1 ? with_strange : light;
  const std::string baryons = settings.origin("correlators.baryons");
  for (const std::string& name : chosen.baryons) {
    require(std::count(with_strange.begin(), with_strange.end(), name) == 0 ||
                std::count(names.begin(), names.end(), name) == 1,
            baryons, "has", name, "which has strange quarks, but there is one quark here, for u and d: take one of",
            "'proton' and 'delta_pp', or give quarks in tables [[quark]]");
    require(std::count(names.begin(), names.end(), name) == 1, baryons, not_a_choice(name, names));
    require(std::count(chosen.baryons.begin(), chosen.baryons.end(), name) == 1, baryons, "has", name,
            "twice: each once is enough");
  }
  flavours_of(wanted_baryon_operators(*this));
  require(elementals.max_baryon_momentum >= 0 && elementals.max_baryon_momentum <= 100,
          settings.origin("elementals.max_baryon_momentum"), "is", elementals.max_baryon_momentum,
          "- it must be from 0 to 100");
  require(chosen.baryons.empty() || eigenvectors.n >= 3, settings.origin("eigenvectors.n"), "is", eigenvectors.n,
          "but a baryon has three different eigenvectors: it must be 3 or more with correlators.baryons");
}

void DistillParameters::check_noise(const Settings& settings) const {
  noise.check(settings, eigenvectors.n);
  if (!noise.is_used()) return;
  const std::string count = settings.origin("noise.count");
  require(correlators.two_pions.empty() && correlators.baryons.empty(), count, "is", noise.count,
          "but two mesons and baryons are contracted from exact perambulators: leave out correlators.two_pions and",
          "correlators.baryons, or set noise.count = 0");
  require(correlators.mesons.empty() || noise.count > 1, count,
          "is 1, but the quark and the antiquark of a meson need noises of their own: take 2 or more");
}

void DistillParameters::check(const Settings& settings, const Coord& extent) const {
  const int half = 3 * extent[0] * extent[1] * extent[2] / 2;
  require(eigenvectors.n <= half, settings.origin("eigenvectors.n"), "is", eigenvectors.n, "- it must be at most", half,
          ", half of the numbers of a time slice");
  for (const int t : perambulators.times) {
    require(t >= 0 && t < extent[3], settings.origin("perambulators.times"), "has", t, "- the lattice has times 0 to",
            extent[3] - 1);
    require(std::count(perambulators.times.begin(), perambulators.times.end(), t) == 1,
            settings.origin("perambulators.times"), "has", t, "twice: each once is enough");
  }
  noise.check_times(settings, extent[3]);
  quarks.check_extent(settings, solver, extent);
  check_annihilation(settings, extent);
}

std::vector<std::string> DistillParameters::warnings(const Settings& settings) const {
  std::vector<std::string> warnings;
  const auto unused = [&](const std::string& key, bool used, const std::string& where) {
    if (!used && settings.given(key))
      warnings.push_back(sentence(settings.origin(key), "changes nothing: it is only used", where));
  };
  for (const char* key : {"beta", "seed", "thermalise", "between", "overrelaxation", "configurations"})
    unused(std::string("generate.") + key, gauge.files.empty(), "without gauge.files");
  unused("gauge.ignore", !gauge.files.empty(), "with gauge.files");
  unused("links.steps", links.smearing != "none", "with links that are smeared");
  unused("links.ape_weight", links.smearing == "ape", "with links.smearing ape");
  unused("links.stout_rho", links.smearing == "stout", "with links.smearing stout");
  for (const char* key : {"correlators.two_pion_isospin", "correlators.two_pion_irrep", "correlators.two_pion_mesons",
                          "correlators.pion_kaon_mesons"})
    unused(key, !correlators.two_pions.empty(), "with correlators.two_pions");
  unused("correlators.flavours", !correlators.two_pions.empty() || !correlators.baryons.empty(),
         "with correlators.two_pions or correlators.baryons");
  unused("elementals.max_baryon_momentum", !correlators.baryons.empty(), "with correlators.baryons");
  unused("output.journal", !correlators.two_pions.empty() || !correlators.baryons.empty(),
         "with correlators.two_pions or correlators.baryons");
  for (const char* key : {"kind", "seed", "time", "spin", "eigenvectors"})
    unused(std::string("noise.") + key, noise.is_used(), "with noise.count");
  quarks.check_used(solver, unused);
  unused("perambulators.spacing", perambulators.times.empty(), "without perambulators.times");
  for (const auto& [key, value] : settings.values())
    if (key.rfind("analysis.", 0) == 0) unused(key, !analysis.output.prefix.empty(), "with analysis.prefix");
  return warnings;
}

LaplacianEigenParameters DistillParameters::search() const {
  return {.n = eigenvectors.n,
          .tolerance = eigenvectors.tolerance,
          .block = eigenvectors.block,
          .cut = eigenvectors.cut,
          .order = eigenvectors.order,
          .seed = eigenvectors.seed};
}

std::vector<ElementalLabel> DistillParameters::labels() const {
  std::vector<SpatialOperator> operators;
  for (const std::string& text : elementals.displacements) operators.push_back(spatial_operator(text));
  return elemental_labels(operators, momenta_up_to(elementals.max_momentum));
}

std::vector<int> DistillParameters::source_times(int n_times) const {
  if (!perambulators.times.empty()) return perambulators.times;
  std::vector<int> times;
  for (int t = 0; t < n_times; t += perambulators.spacing) times.push_back(t);
  return times;
}

std::string DistillParameters::eigenvector_identity() const {
  std::string text = "eigenvectors " + std::to_string(eigenvectors.n) + " links " + links.description();
  if (links.smearing == "ape") text += " " + exact_text(links.ape_weight);
  if (links.smearing == "stout") text += " " + exact_text(links.stout_rho);
  return text + " tolerance " + exact_text(eigenvectors.tolerance) + " block " + std::to_string(eigenvectors.block) +
         " cut " + exact_text(eigenvectors.cut) + " order " + std::to_string(eigenvectors.order) + " seed " +
         std::to_string(eigenvectors.seed) + " bits " + std::to_string(output.precision);
}

std::string DistillParameters::elemental_identity() const {
  std::string text = eigenvector_identity() + " elementals";
  for (const std::string& displacement : elementals.displacements) text += " [" + displacement + "]";
  return text + " momenta up to " + std::to_string(elementals.max_momentum);
}

std::string DistillParameters::perambulator_identity(const NamedQuark& quark) const {
  std::string text = eigenvector_identity() + " solver " + quark.solver.description() + " quark";
  for (const auto& [name, value] : quark.labels()) text += " " + name + "=" + label_text(value);
  return text;
}

std::string DistillParameters::quarks_identity(const std::vector<std::size_t>& places) const {
  std::string text;
  const std::vector<NamedQuark> all = all_quarks();
  std::set<std::size_t> done;
  for (const std::size_t q : places)
    if (done.insert(q).second)
      text += " " + all[q].name + (all[q].name.empty() ? "" : " ") + perambulator_identity(all[q]);
  return text;
}

std::string DistillParameters::baryon_elemental_identity() const {
  return eigenvector_identity() + " baryon elementals momenta up to " + std::to_string(elementals.max_baryon_momentum);
}

std::vector<NamedQuark> DistillParameters::all_quarks() const {
  if (!quarks.empty()) return {quarks.begin(), quarks.end()};
  NamedQuark quark;
  static_cast<QuarkAction&>(quark) = action;
  quark.solver = solver;
  return {quark};
}

std::vector<std::array<std::size_t, 2>> DistillParameters::quark_pairs() const {
  std::vector<std::array<std::size_t, 2>> pairs;
  const std::size_t n = all_quarks().size();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b) pairs.push_back({a, b});
  return pairs;
}

std::vector<std::array<std::size_t, 2>> DistillParameters::quark_lines(const std::array<std::size_t, 2>& pair) const {
  if (!noise.is_used()) return {pair};
  const auto n = std::size_t(noise.count);
  std::vector<std::array<std::size_t, 2>> lines;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (a != b) lines.push_back({pair[0] * n + a, pair[1] * n + b});
  return lines;
}

int DistillParameters::sources_of_a_file(int n_times) const {
  return noise.is_used() ? noise.noise(0, "", n_times, eigenvectors.n).sources_of_a_time() : 4 * eigenvectors.n;
}

std::string DistillParameters::pair_label(const std::array<std::size_t, 2>& pair) const {
  return quarks.empty() ? "" : quarks[pair[0]].name + "-" + quarks[pair[1]].name;
}

std::vector<int> DistillParameters::twice_isospins(MesonPair pair) const {
  std::vector<int> all;
  if (correlators.two_pions.empty()) return all;
  if (pair == MesonPair::pion_kaon)
    for (const std::string& isospin : correlators.pion_kaon_isospin) all.push_back(isospin == "1/2" ? 1 : 3);
  else
    for (const int isospin : correlators.two_pion_isospin) all.push_back(2 * isospin);
  return all;
}

std::map<std::string, std::size_t> DistillParameters::flavours_of(MesonPair pair) const {
  const bool has_kaon = pair == MesonPair::pion_kaon;
  const std::string mesons = has_kaon ? "a pion and a kaon" : "two pions";
  std::map<std::string, std::size_t> places;
  for (const char flavour : std::string(has_kaon ? "uds" : "ud"))
    places[std::string(1, flavour)] =
        quarks.place_of(std::string(1, flavour), correlators.flavours, "an operator of " + mesons);
  require(places.at("u") == places.at("d"), "u and d are different quarks, but", mesons,
          "have a definite isospin where", "they are the same: name one of them for both in correlators.flavours");
  return places;
}

std::map<std::string, std::size_t> DistillParameters::flavours_of(const std::vector<BaryonOperator>& operators) const {
  return quarks.flavours_of(operators, correlators.flavours);
}

std::vector<std::size_t> DistillParameters::quarks_of_baryons() const {
  return places_of(flavours_of(wanted_baryon_operators(*this)));
}

std::string DistillParameters::correlator_identity(const std::vector<int>& source_times,
                                                   const std::array<std::size_t, 2>& pair) const {
  std::string text = elemental_identity() + quarks_identity({pair[0], pair[1]}) + times_text(source_times) + " mesons";
  for (const std::string& meson : correlators.mesons) text += " " + meson;
  if (noise.is_used()) text += " of " + std::to_string(noise.count) + " noises " + noise.identity();
  return text;
}

std::string DistillParameters::two_meson_identity(const std::vector<int>& source_times, MesonPair pair) const {
  const auto& chosen = correlators;
  const bool has_kaon = pair == MesonPair::pion_kaon;
  const std::map<std::string, std::size_t> flavours = flavours_of(pair);
  std::vector<std::size_t> places{flavours.at("u")};
  if (has_kaon) places.push_back(flavours.at("s"));
  std::string text = elemental_identity() + quarks_identity(places) + times_text(source_times) +
                     (has_kaon ? " pion and kaon " : " two pions ") + chosen.two_pion_irrep;
  for (const Momentum& total : chosen.two_pions) text += " [" + to_string(total) + "]";
  if (has_kaon || chosen.two_pion_isospin != std::vector<int>{2}) {
    text += " isospin";
    for (const int twice_isospin : twice_isospins(pair)) text += " " + isospin_text(twice_isospin);
  }
  for (const std::string& meson : single_mesons(pair)) text += " with " + meson;
  return text;
}

std::string DistillParameters::baryon_identity(const std::vector<int>& source_times) const {
  const std::map<std::string, std::size_t> flavours = flavours_of(wanted_baryon_operators(*this));
  std::string text =
      baryon_elemental_identity() + quarks_identity(places_of(flavours)) + times_text(source_times) + " baryons";
  for (const std::string& baryon : correlators.baryons) text += " " + baryon;
  if (!quarks.empty()) text += " of " + quarks.flavour_label(flavours);
  return text;
}

}  // namespace kov::app
