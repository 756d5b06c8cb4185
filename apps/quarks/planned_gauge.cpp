// SPDX-License-Identifier: MIT
#include "apps/quarks/planned_gauge.hpp"

#include "apps/files/output_files.hpp"
#include "kov/core/io/text.hpp"

#include <cctype>
#include <map>

namespace kov::app {

namespace {

/// Whether the checksums of a header identify its links.  Pairs (SciDAC, MILC) depend on the position of every link;
/// NERSC's sum and the plaquette do not change when the lattice is shifted.
bool identifies_links(const GaugeHeader& header) { return header.checksums.size() == 2; }

std::string name_of_generated(const GaugeChoice& choice, int k) {
  std::string name =
      sentence("beta", exact_text(choice.chain.beta), "seed", choice.chain.seed, "update", updates_until(choice, k));
  std::string packed;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != ' ')
      packed += name[i];
    else if (i + 1 < name.size() && std::isalpha(static_cast<unsigned char>(name[i + 1])))
      packed += '_';
  }
  return packed;
}

/// What headers of copies of one configuration share: the checksums with the plaquette, or a plaquette with all its
/// digits; empty where the header has neither.
std::string contents_of(const GaugeHeader& header) {
  constexpr double all_digits = 1e-11;
  if (header.checksums.empty() && (!header.plaquette || header.recorded_tolerance > all_digits)) return "";
  std::string text = to_string(header.extent);
  for (const auto& [name, value] : header.checksums) text += " " + name + "=" + value;
  return header.plaquette ? text + " plaquette " + exact_text(*header.plaquette) : text;
}

/// Throws InputError where two names are one file.
void require_distinct(const Comm& comm, const std::vector<std::string>& files, const Settings& settings) {
  comm.agree([&] {
    if (comm.rank() != 0) return;
    std::map<std::string, std::string> seen;  // by what they are
    for (const std::string& file : files) {
      const auto [other, is_new] = seen.emplace(canonical_file(file), file);
      require(is_new, settings.origin("gauge.files"), "names", file,
              (other->second == file ? "twice" : "and " + other->second + ", which are one file") +
                  ": its correlators would count twice; name it once");
    }
  });
}

}  // namespace

std::string identity_of_file(const std::string& file, const GaugeHeader& header) {
  std::string text = sentence(file, header.format, header.bits, to_string(header.extent));
  for (const auto& [name, value] : header.checksums) text += " " + name + "=" + value;
  if (header.plaquette) text += " plaquette " + exact_text(*header.plaquette);
  return text;
}

std::string same_configuration(const std::string& file, const std::string& other) {
  return sentence(file, "and", other, "have the same links by their checksums and plaquette: if they are one",
                  "configuration, its correlators count twice and errors are too small; leave one of them out");
}

int updates_until(const GaugeChoice& choice, int k) { return choice.chain.n_thermalise + k * choice.chain.n_between; }

PlannedGauges plan_gauges(const Comm& comm, const GaugeChoice& choice, const Settings& settings,
                          const std::function<void(const Coord& extent)>& check) {
  PlannedGauges plan;
  if (choice.files.empty()) {
    plan.extent = choice.extent;
    check(plan.extent);
    for (int k = 0; k < choice.configurations; ++k) {
      const std::string name = name_of_generated(choice, k);
      plan.configurations.push_back({name, sentence(name, "overrelaxation", choice.chain.overrelaxation_per_heatbath,
                                                    "lattice", to_string(plan.extent))});
    }
    return plan;
  }
  require_distinct(comm, choice.files, settings);
  const GaugeFileOptions options = choice.file_options(settings);
  const bool compared = !read_gauge_options(options.ignore).ignore_checksums;
  std::map<std::string, std::string> contents;  // files by what they hold
  for (const std::string& file : choice.files) {
    const GaugeHeader header = header_of(comm, file, options);
    if (plan.configurations.empty()) {
      plan.extent = header.extent;
      check(plan.extent);
    }
    require(header.extent == plan.extent, file, "has the extents", to_string(header.extent), "and",
            choice.files.front(), to_string(plan.extent) + ": one job takes configurations of one size");
    PlannedGauge planned{file, identity_of_file(file, header), identifies_links(header) && compared};
    if (const std::string content = contents_of(header); !content.empty()) {
      const auto [other, is_new] = contents.emplace(content, file);
      if (!is_new) plan.warnings.push_back(same_configuration(other->second, file));
      planned.seen = !is_new;
    }
    plan.configurations.push_back(planned);
  }
  return plan;
}

}  // namespace kov::app
