// SPDX-License-Identifier: MIT
#include "kov/contractions/correlators/correlator_text.hpp"

#include "kov/contractions/correlators/correlator_format.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/comm/comm.hpp"
#include "kov/core/io/atomic_file.hpp"

#include <cstdio>

namespace kov {

namespace {

/// Every line of a text after "# ".
std::string comment(const std::string& text) {
  std::string lines = "# ";
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += "# ";
  }
  return lines + "\n";
}

}  // namespace

std::string to_text(const std::vector<Correlator>& correlators, const CorrelatorProvenance& provenance) {
  std::string text = comment(detail::correlator_format) + comment(sentence("version", version(), git_revision())) +
                     comment(build_description()) + comment(sentence("extent", to_string(provenance.extent)));
  for (const std::string& line : correlator_conventions()) text += comment(line);
  for (const auto& [name, value] : provenance.parameters)
    text += comment(sentence("parameter", name, "=", label_text(value)));
  for (const auto& [configuration, values] : provenance.inputs)
    for (const auto& [name, value] : values)
      text += comment(sentence("input", configuration, name, "=", label_text(value)));
  for (const auto& [key, values] : provenance.solves)
    for (const auto& [name, value] : values)
      text += comment(sentence("solve", key.first, to_string(key.second), name, "=", label_text(value)));
  for (const Correlator& c : correlators) {
    text += "\n\n" + comment(sentence(c.kind, c.channel)) + comment(sentence("momentum", to_string(c.momentum))) +
            (c.source == no_source ? "" : comment(sentence("source", to_string(c.source))));
    for (const auto& [name, value] : c.labels) text += comment(sentence(name, "=", label_text(value)));
    text += "# t real imag\n";
    for (std::size_t t = 0; t < c.value.size(); ++t) {
      char line[96];
      std::snprintf(line, sizeof line, "%zu %.17g %.17g\n", t, c.value[t].real(), c.value[t].imag());
      text += line;
    }
  }
  return text;
}

void write_correlator_text(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                           const CorrelatorProvenance& provenance, const Comm& comm) {
  comm.agree([&] {
    require(!correlators.empty(), "there are no correlators to write, and a file without any would only mislead");
    if (comm.rank() != 0) return;
    OutputFile file(path);
    file.write(to_text(correlators, provenance));
    file.commit();
  });
}

}  // namespace kov
