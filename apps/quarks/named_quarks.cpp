// SPDX-License-Identifier: MIT
#include "apps/quarks/named_quarks.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cctype>

namespace kov::app {

void NamedQuarks::add_to(Settings& settings,
                         const std::function<void(Settings&, NamedQuark&, const std::string&)>& more) {
  settings.add_tables("quark", [this, more](Settings& s, const std::string& section) {
    NamedQuark& quark = emplace_back();
    quark.name = "quark" + section.substr(section.rfind('.') + 1);
    s.add(section + ".name", &quark.name, "of the quark in files and labels: letters, digits and _");
    quark.add_all_to(s, section);
    if (more) more(s, quark, section);
  });
}

void NamedQuarks::complete(Settings& settings, const SolverChoice& solver) {
  for (std::size_t k = 0; k < size(); ++k) {
    NamedQuark& quark = at(k);
    const std::string section = "quark." + std::to_string(k), key = section + ".name";
    quark.complete(settings, section);
    const bool plain = std::all_of(quark.name.begin(), quark.name.end(),
                                   [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); });
    require(!quark.name.empty() && plain && quark.name.size() <= 60, settings.origin(key), "is '" + quark.name + "',",
            "but it is part of names of files: take up to 60 letters, digits and _");
    for (std::size_t other = 0; other < k; ++other)
      require(at(other).name != quark.name, settings.origin(key), "is '" + quark.name + "',",
              "which another quark is called too: their files would be the same");
    require(!quark.is_improved() || !solver.is_even_odd(), settings.origin(section + ".action"), "is",
            quark.action + ",",
            "which has links between even sites, so that there is no even-odd preconditioner: set "
            "solver.preconditioner to none");
    require(!quark.is_improved() || !solver.is_in_temporal_gauge(), settings.origin(section + ".action"), "is",
            quark.action + ",",
            "which has longer legs in time than the links that temporal gauge makes 1: set solver.gauge to given");
  }
}

}  // namespace kov::app
