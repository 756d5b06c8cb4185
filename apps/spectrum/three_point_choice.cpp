// SPDX-License-Identifier: MIT
#include "apps/spectrum/three_point_choice.hpp"

#include "apps/settings/suggest.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <set>

namespace kov::app {

namespace {

constexpr const char* conserved = "conserved_";

std::vector<BaryonOperator> all_components() {
  std::vector<BaryonOperator> all;
  for (const std::string& baryon : baryon_names())
    for (BaryonOperator& op : baryon_operators(baryon)) all.push_back(std::move(op));
  return all;
}

std::optional<MesonChannel> meson_of(const std::string& name) {
  const std::size_t dash = name.find('-');
  const auto sink = meson_number(name.substr(0, dash));
  const auto source = dash == name.npos ? sink : meson_number(name.substr(dash + 1));
  if (!sink || !source) return std::nullopt;
  return MesonChannel{.sink = *sink, .source = *source};
}

/// Throws InputError for an entry that occurs twice, or where there is none.
template <class List>
void check_list(const Settings& settings, const std::string& key, const List& list) {
  require(!list.empty(), settings.origin(key), "is empty: give at least one");
  for (std::size_t k = 0; k < list.size(); ++k)
    require(std::find(list.begin(), list.begin() + std::ptrdiff_t(k), list[k]) == list.begin() + std::ptrdiff_t(k),
            settings.origin(key), "has an entry twice, number", k, "from 0: its correlators would be the same");
}

}  // namespace

std::string three_point_section(std::size_t k) { return "three_point." + std::to_string(k); }

void ThreePointChoices::add_to(Settings& settings) {
  settings.add_tables("three_point",
                      [this](Settings& s, const std::string& section) { emplace_back().add_to(s, section); });
}

void ThreePointChoice::add_to(Settings& s, const std::string& section) {
  s.add(section + ".hadron", &hadron,
        "at sink and source: a meson ('pion', 'pion-pion_A4'), 'nucleon' or another of correlators.baryons, or a "
        "component of octet or decuplet ('proton_up'; 'proton': their sum)");
  s.add(section + ".quarks", &quarks,
        "quark and antiquark of a meson, q and p of a baryon q q p; none: the first of the job. Those of octet and "
        "decuplet are correlators.flavours");
  s.add(section + ".struck", &struck,
        "the line with the current: 'quark' of a meson, 'q' or 'p' of a baryon q q p, 'u', 'd' or 's'; empty: the "
        "first of these");
  s.add(section + ".times", &times, "from source to sink");
  s.add(section + ".momenta", &momenta, "of the sink, [n_x, n_y, n_z] in units of 2 pi / L");
  s.add(section + ".currents", &currents,
        "gammas by their mesons' names, with derivatives or a path ('a0_g4', 'rho_z D_z', 'a0 path +x+y'); 'all': 16 "
        "local ones; 'conserved_t'");
  s.add(section + ".transfers", &transfers, "momenta of the current, e^{+i q.y}");
}

ThreePointHadron ThreePointChoice::resolved_hadron() const {
  ThreePointHadron found;
  if (found.meson = meson_of(hadron); found.meson) return found;
  if (hadron == "nucleon") found.channel = nucleon();
  for (const BaryonChannel& channel : standard_baryons())
    if (channel.name == hadron) found.channel = channel;
  if (found.channel) return found;
  const std::vector<std::string>& baryons = baryon_names();
  if (std::count(baryons.begin(), baryons.end(), hadron) > 0) {
    found.operators = baryon_operators(hadron);
    return found;
  }
  std::vector<std::string> names(meson_names().begin(), meson_names().end());
  names.push_back("nucleon");
  for (const BaryonChannel& channel : standard_baryons()) names.push_back(channel.name);
  names.insert(names.end(), baryons.begin(), baryons.end());
  for (const BaryonOperator& op : all_components()) {
    if (op.name == hadron) {
      found.operators = {op};
      return found;
    }
    names.push_back(op.name);
  }
  throw InputError("is '" + hadron + "': it is no hadron" + did_you_mean(hadron, names));
}

ThreePointCurrents ThreePointChoice::all_currents() const {
  ThreePointCurrents all;
  std::set<std::string> seen;
  const auto add = [&](const QuarkCurrent& current) {
    if (seen.insert(to_string(current)).second) all.local.push_back(current);
  };
  for (const std::string& name : currents) {
    if (name == "all") {
      for (int n = 0; n < 16; ++n) add({.gamma = n});
    } else if (name.starts_with(conserved)) {
      const std::size_t mu = std::string("xyzt").find(name.substr(std::string(conserved).size()));
      require(
          name.size() == std::string(conserved).size() + 1 && mu < 4,
          "has '" + name + "': " + not_a_choice(name, {"conserved_x", "conserved_y", "conserved_z", "conserved_t"}));
      if (seen.insert(name).second) all.conserved.push_back(int(mu));
    } else {
      add(quark_current(name));
    }
  }
  return all;
}

std::string ThreePointChoice::struck_line() const {
  if (!struck.empty()) return struck;
  const ThreePointHadron h = resolved_hadron();
  return h.meson ? "quark" : h.channel ? "q" : h.operators.front().quarks.front();
}

std::array<std::size_t, 2> ThreePointChoice::two_quarks(const std::vector<NamedQuark>& all) const {
  std::array<std::size_t, 2> places{0, 0};
  for (std::size_t k = 0; k < quarks.size() && k < 2; ++k)
    places[k] = std::size_t(
        std::find_if(all.begin(), all.end(), [&](const NamedQuark& q) { return q.name == quarks[k]; }) - all.begin());
  return places;
}

int ThreePointChoice::n_moved() const {
  const ThreePointCurrents all = all_currents();
  std::set<std::string> moved;
  const auto text = [](char kind, const std::vector<int>& steps, std::size_t first) {
    std::string name(1, kind);
    for (std::size_t i = first; i < steps.size(); ++i) name += " " + std::to_string(steps[i]);
    return name;
  };
  for (const QuarkCurrent& current : all.local) {
    const auto &d = current.derivatives, &path = current.path;
    for (std::size_t i = 0; i < path.size(); ++i) moved.insert(text('p', path, i));
    for (const char side : {'r', 'l'})
      for (std::size_t i = 0; i < d.size(); ++i) {
        moved.insert(text(side, d, i));
        moved.insert(text(side, {d[i]}, 0));
      }
  }
  return int(moved.size()) + (all.conserved.empty() ? 0 : 2);
}

void ThreePointChoice::check(const Settings& settings, const std::string& section,
                             const std::vector<NamedQuark>& all) const {
  const auto key = [&](const char* name) { return settings.origin(section + "." + name); };
  const auto named = [&](const char* name, const auto& f) {
    try {
      return f();
    } catch (const InputError& error) {
      throw InputError(key(name) + " " + error.what());
    }
  };
  const ThreePointHadron h = named("hadron", [&] { return resolved_hadron(); });
  require(!h.channel || h.channel->direct == h.channel->exchange, key("hadron"), "is", hadron + ",",
          "which is defined for equal quarks only: the line that is struck cannot be told apart");
  check_list(settings, section + ".currents", currents);
  named("currents", [&] { return all_currents(); });
  check_list(settings, section + ".times", times);
  check_list(settings, section + ".momenta", momenta);
  check_list(settings, section + ".transfers", transfers);
  for (const int t : times) require(t > 0, key("times"), "has", t, "- a sink comes after its source: give 1 or more");
  require(quarks.size() <= 2 && (quarks.empty() || h.operators.empty()), key("quarks"), "has", quarks.size(),
          h.operators.empty() ? "names: a meson has a quark and an antiquark, a baryon q and p"
                              : "names, but those of octet and decuplet are correlators.flavours: leave it out");
  for (const std::string& name : quarks) {
    std::vector<std::string> names;
    for (const NamedQuark& quark : all)
      if (!quark.name.empty()) names.push_back(quark.name);
    require_quark(key("quarks"), name, names);
  }
  std::vector<std::string> lines{"quark"};
  if (h.channel) lines = {"q", "p"};
  if (!h.operators.empty()) {
    const auto& q = h.operators.front().quarks;
    const std::set<std::string> distinct(q.begin(), q.end());
    lines.assign(distinct.begin(), distinct.end());
  }
  require(
      std::count(lines.begin(), lines.end(), struck_line()) > 0, key("struck"),
      not_a_choice(struck, lines) + (h.meson ? "; for a current on the antiquark exchange the names in quarks" : ""));
}

void ThreePointChoice::check_struck(const Settings& settings, const std::string& section,
                                    const NamedQuark& quark) const {
  require(all_currents().conserved.empty() || !quark.is_improved(), settings.origin(section + ".currents"),
          "has a conserved current, which quarks of the action", quark.action,
          "do not have in this form: take a local one");
}

std::string ThreePointChoice::common_correlator(const ThreePointChoice& other) const {
  if (hadron != other.hadron || struck_line() != other.struck_line()) return "";
  const auto common = [](const auto& a, const auto& b) {
    return std::find_if(a.begin(), a.end(), [&](const auto& x) { return std::find(b.begin(), b.end(), x) != b.end(); });
  };
  const auto current_names = [](const ThreePointChoice& choice) {
    const ThreePointCurrents all = choice.all_currents();
    std::vector<std::string> names;
    for (const QuarkCurrent& current : all.local) names.push_back(to_string(current));
    for (const int mu : all.conserved) names.push_back(std::string(conserved) + "xyzt"[mu]);
    return names;
  };
  const std::vector<std::string> mine = current_names(*this), others = current_names(other);
  const auto current = common(mine, others);
  const auto time = common(times, other.times);
  const auto momentum = common(momenta, other.momenta), transfer = common(transfers, other.transfers);
  if (current == mine.end() || time == times.end() || momentum == momenta.end() || transfer == transfers.end())
    return "";
  return sentence("'" + *current + "' with the momentum [" + to_string(*transfer) + "],", "time", *time,
                  "and momentum [" + to_string(*momentum) + "]", "of the sink");
}

void ThreePointChoice::check(const Settings& settings, const std::string& section, const Coord& extent) const {
  for (const int t : times)
    require(t < extent[3], settings.origin(section + ".times"), "has", std::to_string(t) + ",",
            "but the lattice has the times 0 to", extent[3] - 1);
}

}  // namespace kov::app
