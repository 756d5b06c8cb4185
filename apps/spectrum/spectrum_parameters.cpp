// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_parameters.hpp"

#include "apps/files/output_files.hpp"
#include "apps/settings/suggest.hpp"
#include "apps/spectrum/hadron_masses.hpp"
#include "kov/core/base/version.hpp"

#include <algorithm>
#include <cmath>

namespace kov::app {

namespace {

/// "pion" or "pion-pion_A4" (sink-source), or 16 and 256 of them.
std::vector<MesonChannel> meson_channels_named(const std::string& name) {
  if (name == "diagonal") return diagonal_mesons();
  if (name == "all") return all_mesons();
  const auto& names = meson_names();
  const auto number = [&](const std::string& part) {
    const std::optional<int> found = meson_number(part);
    std::vector<std::string> known{names.begin(), names.end()};
    known.insert(known.end(), {"diagonal", "all"});
    require(found.has_value(), "correlators.mesons has '" + name + "': a meson " + not_a_choice(part, known));
    return *found;
  };
  const std::size_t dash = name.find('-');
  if (dash == std::string::npos) return {{.sink = number(name), .source = number(name)}};
  return {{.sink = number(name.substr(0, dash)), .source = number(name.substr(dash + 1))}};
}

/// The octet, the decuplet or one of their baryons; empty for other names.
std::vector<BaryonOperator> baryon_operators_named(const std::string& name) {
  if (name == "octet") return octet_operators();
  if (name == "octet_np") return octet_operators(BaryonParity::negative);
  if (name == "decuplet") return decuplet_operators();
  if (name == "decuplet_np") return decuplet_operators(BaryonParity::negative);
  if (std::count(baryon_names().begin(), baryon_names().end(), name) == 0) return {};
  return kov::baryon_operators(name);
}

/// None for a name that has operators.
std::vector<BaryonChannel> baryon_channels_named(const std::string& name) {
  if (name == "nucleon") return {nucleon()};
  const std::vector<BaryonChannel> standard = standard_baryons();
  if (name == "all") return standard;
  if (!baryon_operators_named(name).empty()) return {};
  std::vector<std::string> names{"nucleon", "all", "octet", "octet_np", "decuplet", "decuplet_np"};
  for (const BaryonChannel& channel : standard) {
    if (channel.name == name) return {channel};
    names.push_back(channel.name);
  }
  names.insert(names.end(), baryon_names().begin(), baryon_names().end());
  throw InputError("correlators.baryons has '" + name + "': a baryon " + not_a_choice(name, names));
}

void check_window(const Settings& settings, const std::string& key, const std::vector<int>& window) {
  require(window.size() == 2 && window[0] >= 0 && window[0] <= window[1], settings.origin(key),
          "must be [first, last] with 0 <= first <= last: the times that are averaged");
}

/// Throws InputError for an entry that occurs twice in a list.
template <class List>
void check_distinct(const Settings& settings, const std::string& key, const List& list) {
  for (std::size_t k = 1; k < list.size(); ++k)
    require(std::find(list.begin(), list.begin() + std::ptrdiff_t(k), list[k]) == list.begin() + std::ptrdiff_t(k),
            settings.origin(key), "has [" + to_string(list[k]) + "]", "twice: its correlators would count twice");
}

/// The momentum with components from 0 to L - 1 that is the same in e^{2 pi i n.x / L}.
Momentum on_lattice(Momentum p, const Coord& extent) {
  for (std::size_t mu = 0; mu < 3; ++mu) p[mu] = (p[mu] % extent[mu] + extent[mu]) % extent[mu];
  return p;
}

/// A hadron whose effective masses are averaged, and at how many times there are some.
struct Window {
  std::string hadron;
  const std::vector<int>& times;
  int n_masses;
  /// Whether its correlator is among those measured.
  bool is_measured;

  std::string key() const { return "analysis." + hadron; }
  std::string text() const { return "[" + std::to_string(times[0]) + ", " + std::to_string(times[1]) + "]"; }
  /// Where there are masses.
  std::string mass_times() const { return n_masses > 0 ? sentence("at t = 0 to", n_masses - 1) : "nowhere"; }
};

std::vector<Window> windows(const SpectrumParameters& p, const Coord& extent) {
  const int mesons = n_effective_masses("pion", extent[3]), nucleons = n_effective_masses("nucleon", extent[3]);
  return {{"pion", p.analysis.pion, mesons, p.measures("pion")},
          {"rho", p.analysis.rho, mesons, p.measures("rho")},
          {"nucleon", p.analysis.nucleon, nucleons, p.measures("nucleon")}};
}

/// Numbers of sinks that were not given are those of the source.
void complete_choice(Settings& settings, const SmearingChoice& source, SmearingChoice& sink) {
  const auto take = [&](const std::string& name, auto member) {
    sink.*member = settings.given_or("sink." + name, sink.*member, source.*member);
  };
  take("width", &SmearingChoice::width);
  take("iterations", &SmearingChoice::iterations);
  take("sigma", &SmearingChoice::sigma);
  take("node", &SmearingChoice::node);
  take("p2_max", &SmearingChoice::p2_max);
  take("edge", &SmearingChoice::edge);
  take("formula", &SmearingChoice::formula);
}

}  // namespace

Settings SpectrumParameters::settings() {
  Settings s;
  gauge.add_to(s);
  action.add_to(s, "action");
  links.add_to(s);
  source.add_to(s);
  s.add("sink.smearings", &sink.smearings,
        "sinks that are contracted, of the same names; with the numbers below, those of the source unless they are "
        "given");
  sink.choice.add_to(s, "sink");
  solver.add_to(s);
  s.add("correlators.mesons", &correlators.mesons,
        "'diagonal' (16), 'all' (256), or names: 'pion', 'rho_x', 'pion-pion_A4' (sink-source)");
  s.add("correlators.baryons", &correlators.baryons,
        "'nucleon', 'all' (17), or names; 'octet', 'decuplet' and theirs ('sigma_p'), with _np those of lower "
        "components");
  s.add("correlators.flavours", &correlators.flavours,
        "the quarks that are u, d and s in octet and decuplet; none: those with these names, or the only one");
  s.add("correlators.momenta", &correlators.momenta, "[n_x, n_y, n_z] in units of 2 pi / L; none: max_momentum2");
  s.add("correlators.max_momentum2", &correlators.max_momentum2, "all momenta with n_x^2 + n_y^2 + n_z^2 up to this");
  loops.add_to(s);
  s.add("analysis.pion", &analysis.pion,
        "first and last time whose effective masses are averaged, with weights 1 / error^2");
  s.add("analysis.rho", &analysis.rho, "the same");
  s.add("analysis.nucleon", &analysis.nucleon, "the same");
  s.add("analysis.bin", &analysis.bin, "configurations averaged before the jackknife");
  memory.add_to(s);
  s.add("output.prefix", &output.prefix, "of the files written: PREFIX.h5, PREFIX.dat, PREFIX.svg, PREFIX.pdf");
  s.add("output.journal", &output.journal,
        "folder with what is finished, from which a killed run goes on; empty: PREFIX.journal");
  quarks.add_to(s, [](Settings& t, NamedQuark& quark, const std::string& section) {
    t.add(section + ".propagators", &quark.propagators,
          "read them instead: output.prefix of a `kovariant propagator`, or a name with {configuration}, {quark}, {x}, "
          "{y}, {z}, {t} in it");
  });
  three_points.add_to(s);
  return s;
}

void SpectrumParameters::complete(Settings& settings) {
  const auto positive = [&](const std::string& key, double value) {
    require(value > 0, settings.origin(key), "is", value, "- it must be positive");
  };
  action.complete(settings, "action");
  solver.check(settings);
  memory.check(settings);
  source.check(settings);
  quarks.complete(settings, solver, source.boost);
  quarks.check_together(settings, action, solver, correlators.flavours);
  gauge.check(settings);
  const std::vector<std::string>& names = SmearingChoice::names();
  links.check(settings);
  complete_choice(settings, source.choice, sink.choice);
  sink.choice.check([&](const std::string& name) { return settings.origin("sink." + name); }, sink.smearings);
  require(!sink.smearings.empty(), settings.origin("sink.smearings"), "is empty: name", list_text(names));
  for (const std::string& name : sink.smearings) {
    require(std::count(names.begin(), names.end(), name) == 1, settings.origin("sink.smearings"),
            "has '" + name + "': a smearing " + not_a_choice(name, names));
    require(std::count(sink.smearings.begin(), sink.smearings.end(), name) == 1, settings.origin("sink.smearings"),
            "has '" + name + "' twice: its correlators would be the same");
  }
  require(correlators.max_momentum2 >= 0, settings.origin("correlators.max_momentum2"),
          "is negative: there are no such momenta; give 0 or more");
  check_distinct(settings, "correlators.momenta", correlators.momenta);
  const std::size_t channels = meson_channels().size() + baryon_channels().size() + baryon_operators().size();
  require(channels > 0 || !three_points.empty() || loops.any(),
          "correlators.mesons and correlators.baryons are empty: name one, give a table [[three_point]], or set "
          "loops.hits");
  flavours();
  check_three_points(settings);
  check_noise(settings);
  loops.check(settings, all_quarks());
  check_window(settings, "analysis.pion", analysis.pion);
  check_window(settings, "analysis.rho", analysis.rho);
  check_window(settings, "analysis.nucleon", analysis.nucleon);
  positive("analysis.bin", analysis.bin);
  const int n = int(n_configurations());
  require(n == 1 || analysis.bin <= n, settings.origin("analysis.bin"), "is", std::to_string(analysis.bin) + ",", "and",
          n, "configurations make no bin of that size: give a smaller one");
  // A printed job leaves out values that the user did not give, so that it accepts files of any extents.
  for (const char* key : {"gauge.extent", "analysis.pion", "analysis.rho", "analysis.nucleon"})
    if (!settings.given(key)) settings.follows(key);
  require(names_files(output.prefix), settings.origin("output.prefix"),
          "is '" + output.prefix + "': the files need a name");
  if (output.journal.empty()) {
    output.journal = output.prefix + ".journal";
    settings.follows("output.journal");
  }
}

void SpectrumParameters::check_noise(const Settings& settings) const {
  if (!source.is_noisy()) return;
  std::string baryon;
  if (!correlators.baryons.empty()) baryon = "correlators.baryons has " + correlators.baryons.front();
  for (std::size_t k = 0; k < three_points.size(); ++k)
    if (!three_points[k].resolved_hadron().meson)
      baryon = three_point_section(k) + ".hadron is " + three_points[k].hadron;
  require(baryon.empty(), settings.origin("source.noise"), "is", source.noise + ",", "and", baryon + ":",
          "three quarks from one noise average to zero; leave baryons out, or take source.noise none or another type");
}

void SpectrumParameters::check_three_points(const Settings& settings) const {
  const std::vector<NamedQuark> all = all_quarks();
  std::vector<std::vector<std::size_t>> places;
  for (std::size_t k = 0; k < three_points.size(); ++k) {
    const ThreePointChoice& choice = three_points[k];
    choice.check(settings, three_point_section(k), all);
    choice.check_struck(settings, three_point_section(k), all[struck_quark(choice)]);
    const std::array<std::size_t, 2> two = choice.two_quarks(all);
    places.emplace_back(two.begin(), two.end());
    // Those of octet and decuplet are the same in all tables.
    for (std::size_t other = 0; other < k; ++other)
      if (places[other] == places[k]) {
        const std::string twice = choice.common_correlator(three_points[other]);
        require(twice.empty(), settings.origin(three_point_section(k) + ".currents"), "has", twice + ",", "and so has",
                three_point_section(other) + ":", "leave it out of one of them");
      }
  }
}

std::size_t SpectrumParameters::struck_quark(const ThreePointChoice& choice) const {
  const std::string line = choice.struck_line();
  const std::vector<BaryonOperator> operators = choice.resolved_hadron().operators;
  if (!operators.empty()) return flavours_of(operators).at(line);
  return choice.two_quarks(all_quarks())[line == "p" ? 1 : 0];
}

void SpectrumParameters::check(const Settings& settings, const Coord& extent) const {
  Geometry::choose_grid(extent, 1);  // throws for invalid extents
  if (has_sources()) source.check(settings, extent);
  quarks.check_extent(settings, solver, extent);
  for (std::size_t k = 0; k < three_points.size(); ++k) three_points[k].check(settings, three_point_section(k), extent);
  loops.check(settings, extent);
  loops.check_solves(settings, all_quarks(), n_configurations());
  std::vector<Momentum> seen;
  for (const Momentum& p : correlators.momenta) {
    seen.push_back(on_lattice(p, extent));
    require(std::find(seen.begin(), seen.end() - 1, seen.back()) == seen.end() - 1,
            settings.origin("correlators.momenta"), "has two momenta that are [" + to_string(seen.back()) + "]",
            "on the lattice", to_string(extent) + ": its correlators would count twice");
  }
  for (const Window& w : windows(*this, extent))
    require(!settings.given(w.key()) || w.times[1] < w.n_masses, settings.origin(w.key()), "is " + w.text() + ",",
            "but", extent[3], "times have effective masses", w.mass_times());
}

std::vector<std::string> SpectrumParameters::window_warnings(const Settings& settings, const Coord& extent) const {
  std::vector<std::string> warnings;
  for (const Window& w : windows(*this, extent))
    if (w.is_measured && w.n_masses <= 0)
      warnings.push_back(sentence("there is no mass of the", w.hadron, "on this lattice, whose", extent[3],
                                  "times have no two before the middle: take a longer one"));
    else if (w.is_measured && !settings.given(w.key()) && w.times[1] >= w.n_masses)
      warnings.push_back(sentence(w.key(), "is", w.text(), "by default, but", extent[3], "times have effective masses",
                                  w.mass_times() + ": the mass is taken at those of these times",
                                  "that exist, or else at the last; set it"));
  return warnings;
}

std::vector<Coord> SpectrumParameters::origins(const Coord& extent, const std::string& configuration) const {
  return has_sources() ? source.positions(extent, configuration) : std::vector<Coord>{};
}

std::vector<std::string> SpectrumParameters::smearing_warnings() const {
  std::vector<std::string> warnings{source.choice.warning(source.smearing)};
  for (const std::string& name : sink.smearings) warnings.push_back(sink.choice.warning(name));
  std::erase(warnings, "");
  return warnings;
}

std::vector<NamedQuark> SpectrumParameters::all_quarks() const {
  if (!quarks.empty()) return {quarks.begin(), quarks.end()};
  NamedQuark quark;
  static_cast<QuarkAction&>(quark) = action;
  quark.boost = source.boost;
  quark.solver = solver;
  return {quark};
}

std::vector<std::string> SpectrumParameters::quark_pairs() const {
  if (quarks.empty()) return {""};
  std::vector<std::string> pairs;
  for (std::size_t a = 0; a < quarks.size(); ++a)
    for (std::size_t b = a; b < quarks.size(); ++b) {
      pairs.push_back(quarks[a].name + "-" + quarks[b].name);
      if (a != b) pairs.push_back(quarks[b].name + "-" + quarks[a].name);
    }
  return pairs;
}

int SpectrumParameters::n_solved_quarks() const {
  const std::vector<NamedQuark> all = all_quarks();
  return int(std::count_if(all.begin(), all.end(), [](const NamedQuark& q) { return q.propagators.empty(); }));
}

bool SpectrumParameters::has_sources() const { return has_two_point_functions() || !three_points.empty(); }

int SpectrumParameters::n_solves_of_origin() const {
  int n = n_solved_quarks();
  for (const ThreePointChoice& choice : three_points) n += choice.n_sequential() * int(sink.smearings.size());
  return 12 * n;
}

std::vector<MesonChannel> SpectrumParameters::meson_channels() const {
  std::vector<MesonChannel> channels;
  for (const std::string& name : correlators.mesons)
    for (const MesonChannel& channel : meson_channels_named(name))
      if (std::find(channels.begin(), channels.end(), channel) == channels.end()) channels.push_back(channel);
  return channels;
}

std::vector<BaryonChannel> SpectrumParameters::baryon_channels() const {
  std::vector<BaryonChannel> channels;
  for (const std::string& name : correlators.baryons)
    for (const BaryonChannel& channel : baryon_channels_named(name))
      if (std::none_of(channels.begin(), channels.end(),
                       [&](const BaryonChannel& c) { return c.name == channel.name; }))
        channels.push_back(channel);
  return channels;
}

std::vector<BaryonOperator> SpectrumParameters::baryon_operators() const {
  std::vector<BaryonOperator> operators;
  for (const std::string& name : correlators.baryons)
    for (const BaryonOperator& op : baryon_operators_named(name))
      if (std::none_of(operators.begin(), operators.end(), [&](const BaryonOperator& o) { return o.name == op.name; }))
        operators.push_back(op);
  return operators;
}

std::map<std::string, std::size_t> SpectrumParameters::flavours_of(const std::vector<BaryonOperator>& operators) const {
  return quarks.flavours_of(operators, correlators.flavours);
}

bool SpectrumParameters::measures(const std::string& hadron) const {
  if (hadron == "nucleon") {
    const std::vector<BaryonChannel> baryons = baryon_channels();
    return std::any_of(baryons.begin(), baryons.end(), [](const BaryonChannel& c) {
      return std::count(nucleon_names().begin(), nucleon_names().end(), c.name) > 0;
    });
  }
  const std::vector<int> gammas = hadron == "pion" ? std::vector{15} : std::vector{1, 2, 4};
  const std::vector<MesonChannel> mesons = meson_channels();
  return std::any_of(mesons.begin(), mesons.end(), [&](const MesonChannel& c) {
    return c.sink == c.source && std::count(gammas.begin(), gammas.end(), c.sink) > 0;
  });
}

std::vector<Momentum> SpectrumParameters::momenta(const Coord& extent) const {
  if (!correlators.momenta.empty()) return correlators.momenta;
  std::vector<Momentum> momenta, seen;
  for (const Momentum& p : momenta_up_to(correlators.max_momentum2)) {
    const Momentum same = on_lattice(p, extent);
    if (std::find(seen.begin(), seen.end(), same) != seen.end()) continue;  // n and n + L are the same momentum
    seen.push_back(same);
    momenta.push_back(p);
  }
  return momenta;
}

std::string SpectrumParameters::identity(const Settings& settings) const {
  std::string text = sentence("kovariant", version(), git_revision()) + "\n";
  for (const auto& [key, value] : settings.values()) {
    const std::string section = key.substr(0, key.find('.'));
    const bool chooses = section == "generate" || section == "analysis" || section == "output" || section == "loops" ||
                         section == "memory" || key == "gauge.files" || key == "gauge.extent" ||
                         key == "source.origins" || key == "source.count" || key == "source.random";
    if (!chooses) text += key + " = " + value + "\n";
  }
  return text;
}

std::string SpectrumParameters::loop_identity(const Settings& settings) const {
  std::string text;
  for (const auto& [key, value] : settings.values())
    if (key.starts_with("loops.")) text += (text.empty() ? "" : " ") + key.substr(6) + "=" + value;
  return text;
}

}  // namespace kov::app
