// SPDX-License-Identifier: MIT
#include "apps/quarks/named_quarks.hpp"

#include "apps/quarks/quark_operator.hpp"
#include "apps/quarks/source_choice.hpp"
#include "apps/settings/suggest.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cctype>

namespace kov::app {

std::string NamedQuark::differences(const SolverChoice& of_job, const std::array<double, 3>& boost_of_job) const {
  std::string text;
  if (boost != boost_of_job)
    text += sentence(", boost", exact_text(boost[0]), exact_text(boost[1]), exact_text(boost[2]));
  const std::string solved = solver.description() + solver.columns_text();
  if (solved != of_job.description() + of_job.columns_text()) text += ", solved for by " + solved;
  return text;
}

void NamedQuarks::add_to(Settings& settings,
                         const std::function<void(Settings&, NamedQuark&, const std::string&)>& more,
                         QuarkBoost boost) {
  boost_ = boost;
  settings.add_tables("quark", [this, more](Settings& s, const std::string& section) {
    NamedQuark& quark = emplace_back();
    quark.name = "quark" + section.substr(section.rfind('.') + 1);
    s.add(section + ".name", &quark.name, "of the quark in files and labels: letters, digits and _");
    quark.add_to(s, section);
    if (boost_ == QuarkBoost::given)
      s.add(section + ".boost", &quark.boost, "momentum smearing of this quark, as in source.boost");
    quark.solver.add_to(s, section);
    if (more) more(s, quark, section);
  });
}

void NamedQuarks::complete(Settings& settings, const SolverChoice& solver, const std::array<double, 3>& boost) {
  for (std::size_t k = 0; k < size(); ++k) {
    NamedQuark& quark = at(k);
    const std::string section = "quark." + std::to_string(k), key = section + ".name";
    quark.complete(settings, section);
    quark.solver.complete(settings, section, solver);
    quark.solver.check(settings, section);
    require(quark.solver.is_single() == solver.is_single(), settings.origin(section + ".precision"), "is",
            quark.solver.precision + ",", "and solver.precision", solver.precision + ":",
            "single precision is that of all quarks, as contractions and files are in it; set solver.precision");
    if (boost_ == QuarkBoost::given) {
      if (settings.given(section + ".boost")) check_boost(settings, section + ".boost", quark.boost);
      quark.boost = settings.given_or(section + ".boost", quark.boost, boost);
    }
    const bool plain = std::all_of(quark.name.begin(), quark.name.end(),
                                   [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); });
    require(!quark.name.empty() && plain && quark.name.size() <= 60, settings.origin(key), "is '" + quark.name + "',",
            "but it is part of names of files: take up to 60 letters, digits and _");
    for (std::size_t other = 0; other < k; ++other)
      require(at(other).name != quark.name, settings.origin(key), "is '" + quark.name + "',",
              "which another quark is called too: their files would be the same");
    quark.solver.check_twist(settings, section + ".mu", quark.mu);
    if (quark.is_improved()) quark.solver.check_improved(settings, section + ".action", quark.action);
  }
}

void NamedQuarks::check_together(const Settings& settings, const QuarkAction& action, const SolverChoice& solver,
                                 const std::vector<std::string>& flavours) const {
  for (const auto& [key, value] : settings.values())
    require(empty() || !key.starts_with("action.") || !settings.given(key), settings.origin(key),
            "is given beside tables [[quark]]:", "write it into these, or leave them out");
  for (const NamedQuark& quark : *this)
    require(quark.boundary_angles() == front().boundary_angles(), "the quarks", front().name, "and", quark.name,
            "have different boundaries: correlators take quarks of one boundary");
  require(flavours.empty() || flavours.size() == 3, settings.origin("correlators.flavours"), "has", flavours.size(),
          "names: give those of the quarks that are u, d and s");
  std::vector<std::string> names;
  for (const NamedQuark& quark : *this) names.push_back(quark.name);
  for (const std::string& name : flavours)
    require(std::count(names.begin(), names.end(), name) > 0, settings.origin("correlators.flavours"),
            "has '" + name + "': a quark",
            names.empty() ? "has a name in a table [[quark]] only, and there is none" : not_a_choice(name, names));
  if (empty()) solver.check_twist(settings, "action.mu", action.mu);
  if (empty() && action.is_improved()) solver.check_improved(settings, "action.action", action.action);
}

void NamedQuarks::check_extent(const Settings& settings, const SolverChoice& solver, const Coord& extent) const {
  for (std::size_t k = 0; k < size(); ++k) at(k).solver.check_extent(settings, "quark." + std::to_string(k), extent);
  if (empty()) solver.check_extent(settings, "solver", extent);
}

void NamedQuarks::check_ranks(const Settings& settings, const SolverChoice& solver, const Coord& extent,
                              int n_ranks) const {
  for (std::size_t k = 0; k < size(); ++k)
    at(k).solver.check_ranks(settings, "quark." + std::to_string(k), extent, n_ranks);
  if (empty()) solver.check_ranks(settings, "solver", extent, n_ranks);
}

void NamedQuarks::check_used(const SolverChoice& solver,
                             const std::function<void(const std::string&, bool, const std::string&)>& check) const {
  bool any = empty() && solver.is_schwarz();
  for (const NamedQuark& quark : *this) any = any || quark.solver.is_schwarz();
  for (const char* key : {"schwarz_block", "schwarz_cycles", "schwarz_steps", "schwarz_form"}) {
    check(std::string("solver.") + key, any, "with solver.preconditioner schwarz");
    for (std::size_t k = 0; k < size(); ++k)
      check("quark." + std::to_string(k) + "." + key, at(k).solver.is_schwarz(), "with preconditioner schwarz");
  }
}

std::size_t NamedQuarks::place_of(const std::string& flavour, const std::vector<std::string>& flavours,
                                  const std::string& hadron) const {
  if (size() <= 1 && flavours.empty()) return 0;
  const std::string name = flavours.empty() ? flavour : flavours.at(flavour == "u" ? 0 : flavour == "d" ? 1 : 2);
  const auto found = std::find_if(begin(), end(), [&](const NamedQuark& quark) { return quark.name == name; });
  require(found != end(), "there is", hadron + ", whose quark", flavour,
          "is none of the tables [[quark]]: give one that name, or say which are u, d and s by correlators.flavours");
  return std::size_t(found - begin());
}

std::map<std::string, std::size_t> NamedQuarks::flavours_of(const std::vector<BaryonOperator>& operators,
                                                            const std::vector<std::string>& flavours) const {
  std::map<std::string, std::size_t> places;
  for (const BaryonOperator& op : operators)
    for (const std::string& flavour : op.quarks) places[flavour] = place_of(flavour, flavours, "the baryon " + op.name);
  return places;
}

std::string NamedQuarks::flavour_label(const std::map<std::string, std::size_t>& places) const {
  std::string text;
  for (const char flavour : std::string("uds"))
    if (const auto found = places.find(std::string(1, flavour)); found != places.end())
      text += (text.empty() ? "" : ", ") + found->first + " " + at(found->second).name;
  return text;
}

int fewer_columns(const SolverChoice& solver, int n) {
  if (!solver.is_together() || solver.is_block()) return n;
  constexpr int least = TogetherLanes::holds_columns ? 4 : 1;
  for (int fewer = n - 1; fewer >= least; --fewer)
    if (12 % fewer == 0 && fewer % least == 0) return fewer;
  return n;
}

bool make_fewer(const std::vector<NamedQuark>& quarks, std::vector<int>& columns) {
  const int most = *std::max_element(columns.begin(), columns.end());
  bool is_less = false;
  for (std::size_t q = 0; q < quarks.size(); ++q) {
    if (columns[q] < most) continue;
    columns[q] = fewer_columns(quarks[q].solver, most);
    is_less = is_less || columns[q] < most;
  }
  return is_less;
}

double operator_bytes_per_site(const NamedQuark& quark) {
  const double real = quark.solver.is_single() ? 4 : 8, low = quark.solver.is_mixed() ? 4 : 0;
  // Of the operator in double that residuals of single precision are computed with: links, those of two lengths where
  // the action is improved, or blocks beside them.
  const double in_double = quark.solver.is_single() ? 8 * 72 * (quark.is_improved() ? 2 : quark.c_sw != 0 ? 3 : 1) : 0;
  // Links, and doubled ones for hops between parities; blocks and their inverses.
  return (real + low) * (72 * 3 + (quark.c_sw != 0 ? 144 : 0)) + in_double + quark.solver.bytes_per_site(0);
}

double solve_bytes_per_site(const NamedQuark& quark, int n_columns) {
  const SolverChoice& solver = quark.solver;
  const double in_columns = solver.is_together() ? 2 * 24 * n_columns * (solver.is_single() ? 4 : 8) : 0;
  return in_columns + solver.bytes_per_site(n_columns) - solver.bytes_per_site(0);
}

std::string columns_text(const std::vector<int>& columns) {
  std::string text;
  for (const int n : columns) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return sentence(text, text == "1" ? "column" : "columns");
}

std::string operators_text(bool kept) { return kept ? "operators kept" : "operators made for every propagator"; }

}  // namespace kov::app
