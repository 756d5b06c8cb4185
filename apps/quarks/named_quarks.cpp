// SPDX-License-Identifier: MIT
#include "apps/quarks/named_quarks.hpp"

#include "apps/quarks/source_choice.hpp"
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
                         const std::function<void(Settings&, NamedQuark&, const std::string&)>& more) {
  settings.add_tables("quark", [this, more](Settings& s, const std::string& section) {
    NamedQuark& quark = emplace_back();
    quark.name = "quark" + section.substr(section.rfind('.') + 1);
    s.add(section + ".name", &quark.name, "of the quark in files and labels: letters, digits and _");
    quark.add_to(s, section);
    s.add(section + ".boost", &quark.boost, "momentum smearing of this quark, as in source.boost");
    quark.solver.add_all_to(s, section);
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
    if (settings.given(section + ".boost")) check_boost(settings, section + ".boost", quark.boost);
    quark.boost = settings.given_or(section + ".boost", quark.boost, boost);
    const bool plain = std::all_of(quark.name.begin(), quark.name.end(),
                                   [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); });
    require(!quark.name.empty() && plain && quark.name.size() <= 60, settings.origin(key), "is '" + quark.name + "',",
            "but it is part of names of files: take up to 60 letters, digits and _");
    for (std::size_t other = 0; other < k; ++other)
      require(at(other).name != quark.name, settings.origin(key), "is '" + quark.name + "',",
              "which another quark is called too: their files would be the same");
    if (quark.is_improved()) quark.solver.check_improved(settings, section + ".action", quark.action);
  }
}

}  // namespace kov::app
