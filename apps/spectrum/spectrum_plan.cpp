// SPDX-License-Identifier: MIT
#include "apps/spectrum/spectrum_plan.hpp"

#include "apps/files/gauge_files.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

namespace kov::app {

namespace {

/// Whether the checksums of a header identify its links.  Pairs (SciDAC, MILC) depend on the position of every link;
/// NERSC's sum and the plaquette do not change when the lattice is shifted.
bool identifies_links(const GaugeHeader& header) { return header.checksums.size() == 2; }

std::string name_of_generated(const SpectrumParameters::Generate& generate, int k) {
  std::string name = sentence("beta", exact_text(generate.chain.beta), "seed", generate.chain.seed, "update",
                              generate.chain.n_thermalise + k * generate.chain.n_between);
  std::string packed;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != ' ')
      packed += name[i];
    else if (i + 1 < name.size() && std::isalpha(static_cast<unsigned char>(name[i + 1])))
      packed += '_';
  }
  return packed;
}

void add_configuration(SpectrumPlan& plan, const std::string& name, const std::string& identity,
                       const std::vector<Coord>& origins, const Journal& journal) {
  PlannedConfiguration configuration{.name = name, .identity = identity};
  for (const Coord& origin : origins) {
    const std::string key = identity + " origin " + to_string(origin);
    configuration.parts.push_back({origin, key, journal.find(key)});
  }
  plan.configurations.push_back(std::move(configuration));
}

/// Drops journal entries that were measured on other links than those the file holds now.
void compare_links(const Lattice& lattice, SpectrumPlan& plan, const GaugeFileOptions& options) {
  PlannedConfiguration& configuration = plan.configurations.back();
  GaugeReport report;
  read_configuration(lattice, configuration.name, options, report);
  configuration.links = report.links_checksum;
  for (PlannedPart& part : configuration.parts) {
    if (!part.entry || part.entry->notes["links_checksum"] == configuration.links) continue;
    plan.warnings.push_back(sentence("the journal has", configuration.name, "at", to_string(part.origin),
                                     "with other links than the file has now: it is measured again"));
    part.entry.reset();
  }
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

/// Bytes of all fields that are alive at once, for each site of a process; see spectrum_measure.cpp.
double bytes_per_site(const SpectrumParameters& parameters) {
  const bool single = parameters.solver.precision == "single", mixed = parameters.solver.precision == "mixed";
  const double real = single ? 4 : 8, links = 72, spinor = 24;
  double bytes = 8 * links * 2;     // the gauge field, its smeared copy or the chain's
  bytes += real * links * 4;        // links of the operator and of the smearing, and doubled ones of the hop
  bytes += real * spinor * 12 * 2;  // source and propagator
  // The smeared sink and the buffers of its smearing.
  const auto& sinks = parameters.sink.smearings;
  if (std::any_of(sinks.begin(), sinks.end(), [](const std::string& s) { return s != "none"; }))
    bytes += real * spinor * 12 * 3;
  const double work = parameters.solver.method == "gcr" ? 2 * Gcr{}.directions : 10;
  bytes += mixed ? real * spinor * 10 + 4 * links * 2 + 4 * spinor * work : real * spinor * work;
  // Blocks and their inverses; while they are made, the field strength and its leaves in double are smaller than what
  // sources and solvers take later.
  if (parameters.action.c_sw != 0) bytes += 2 * 72 * (real + (mixed ? 4 : 0));
  return bytes;
}

/// Bytes that a process needs for fields.
double bytes_of_process(const Comm& comm, const SpectrumParameters& parameters, const Coord& extent) {
  return bytes_per_site(parameters) * double(volume(extent)) / comm.size();
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

int PlannedConfiguration::n_finished() const {
  return int(std::count_if(parts.begin(), parts.end(), [](const PlannedPart& part) { return part.entry.has_value(); }));
}

int SpectrumPlan::n_parts() const {
  int n = 0;
  for (const PlannedConfiguration& c : configurations) n += int(c.parts.size());
  return n;
}

int SpectrumPlan::n_finished_parts() const {
  int n = 0;
  for (const PlannedConfiguration& c : configurations) n += c.n_finished();
  return n;
}

std::vector<std::string> SpectrumPlan::missing_keys() const {
  std::vector<std::string> keys;
  for (const PlannedConfiguration& c : configurations)
    for (const PlannedPart& part : c.parts)
      if (!part.entry) keys.push_back(part.key);
  return keys;
}

int SpectrumPlan::n_solves() const { return 12 * (n_parts() - n_finished_parts()); }

int SpectrumPlan::n_updates(const SpectrumParameters& parameters) const {
  if (!parameters.gauge.files.empty()) return 0;
  for (int k = int(configurations.size()); k-- > 0;)
    if (!configurations[std::size_t(k)].finished())
      return parameters.generate.chain.n_thermalise + k * parameters.generate.chain.n_between;
  return 0;
}

SpectrumPlan make_plan(const Comm& comm, const SpectrumParameters& parameters, const Settings& settings,
                       const Journal& journal) {
  SpectrumPlan plan;
  const auto check = [&] {
    parameters.check(settings, plan.extent);
    plan.warnings = parameters.window_warnings(settings, plan.extent);
    if (const std::string warning = memory_warning(comm, bytes_of_process(comm, parameters, plan.extent));
        !warning.empty())
      plan.warnings.push_back(warning);
  };
  const auto& files = parameters.gauge.files;
  if (files.empty()) {
    plan.extent = parameters.gauge.extent;
    check();
    for (int k = 0; k < parameters.generate.configurations; ++k) {
      const std::string name = name_of_generated(parameters.generate, k);
      const std::string identity =
          sentence(name, "overrelaxation", parameters.generate.chain.overrelaxation_per_heatbath, "lattice",
                   to_string(plan.extent));
      add_configuration(plan, name, identity, parameters.origins(plan.extent), journal);
    }
    return plan;
  }
  comm.agree([&] {
    if (comm.rank() != 0) return;
    std::map<std::string, std::string> seen;  // by what they are
    for (const std::string& file : files) {
      const auto [other, is_new] = seen.emplace(canonical_file(file), file);
      require(is_new, settings.origin("gauge.files"), "names", file,
              (other->second == file ? "twice" : "and " + other->second + ", which are one file") +
                  ": its correlators would count twice");
    }
  });
  const GaugeFileOptions options = parameters.file_options(settings);
  const bool compared = !read_gauge_options(options.ignore).ignore_checksums;
  std::map<std::string, std::string> contents;  // files by what they hold
  for (const std::string& file : files) {
    const GaugeHeader header = header_of(comm, file, options);
    if (plan.configurations.empty()) {
      plan.extent = header.extent;
      check();
    }
    require(header.extent == plan.extent, file, "has the extents", to_string(header.extent), "and", files.front(),
            to_string(plan.extent) + ": one job takes configurations of one size");
    add_configuration(plan, file, identity_of_file(file, header), parameters.origins(plan.extent), journal);
    if (const std::string content = contents_of(header); !content.empty()) {
      const auto [other, is_new] = contents.emplace(content, file);
      if (!is_new) plan.warnings.push_back(same_configuration(other->second, file));
      plan.configurations.back().seen = !is_new;
    }
    const bool trusted = identifies_links(header) && compared;
    if (!trusted && plan.configurations.back().n_finished() > 0)
      compare_links(Lattice(comm, plan.extent), plan, options);
  }
  return plan;
}

SpectrumOutputs outputs_of(const SpectrumParameters& parameters) {
  const std::string& prefix = parameters.output.prefix;
  return {has_hdf5() ? prefix + ".h5" : "", prefix + ".dat"};
}

std::vector<std::string> SpectrumOutputs::endings() {
  std::vector<std::string> endings = picture_endings();
  endings.push_back(".dat");
  if (has_hdf5()) endings.push_back(".h5");
  return endings;
}

std::string plan_text(const Comm& comm, const SpectrumPlan& plan, const SpectrumParameters& p) {
  const Lattice lattice(comm, plan.extent);
  const Geometry& geometry = lattice.geometry();
  std::string text;
  const auto row = [&text](const std::string& name, const std::string& value) {
    text += name + std::string(16 - name.size(), ' ') + value + "\n";
  };
  row("lattice", to_string(plan.extent) + " (x y z t), " + std::to_string(lattice.volume()) + " sites");
  row("processes", sentence(std::to_string(comm.size()) + ", grid", to_string(geometry.grid()) + ", local lattice",
                            to_string(geometry.local_extent()) + ", order:", to_string(lattice.layout().order()) + ",",
                            lattice.layout().lanes(), "lanes"));
  const std::size_t n = plan.configurations.size();
  if (p.gauge.files.empty())
    row("configurations",
        sentence(n, "generated, beta", p.generate.chain.beta, "seed", p.generate.chain.seed, "first after",
                 p.generate.chain.n_thermalise, "updates, then every", p.generate.chain.n_between));
  else
    row("configurations",
        sentence(n, "from files:", p.gauge.files.front(), n > 1 ? "... " + p.gauge.files.back() : ""));
  const std::string c_sw = p.action.c_sw == 0 ? "" : sentence(", c_sw", p.action.c_sw);
  row("quarks", sentence(p.quarks() + ", kappa", p.action.kappa, "(mass",
                         std::to_string(p.action.mass) + ")" + c_sw + ",", p.action.boundary, "in time"));
  std::string origins;
  for (const PlannedPart& part : plan.configurations.front().parts)
    origins += (origins.empty() ? "[" : ", [") + to_string(part.origin) + "]";
  row("sources", sentence(plan.configurations.front().parts.size(), "on each, at", origins + ", smearing",
                          p.source.choice.description(p.source.smearing)));
  std::string sinks;
  for (const std::string& sink : p.sink.smearings)
    sinks += (sinks.empty() ? "" : "; ") + (sink == "none" ? "point" : p.sink.choice.description(sink));
  row("sinks", sinks);
  row("their links", p.links.smearing == "none" ? "as they are" : sentence(p.links.smearing, "x", p.links.steps));
  row("correlators", sentence(p.meson_channels().size(), "mesons and", p.baryon_channels().size(), "baryons with",
                              p.momenta(plan.extent).size(), "momenta"));
  row("solver", sentence(p.solver.method + ",", p.solver.preconditioner, "preconditioner,", p.solver.precision,
                         "precision, tolerance", p.solver.tolerance));
  row("finished",
      sentence(plan.n_finished_parts(), "of", plan.n_parts(), "(configuration, source) in", p.output.journal));
  row("to do", sentence(plan.n_updates(p), "updates and", plan.n_solves(), "solves"));
  char megabytes[32];
  std::snprintf(megabytes, sizeof(megabytes), "%.0f", bytes_of_process(comm, p, plan.extent) / (1 << 20) + 1);
  row("memory", sentence("about", megabytes, "MiB in each process for fields"));
  const SpectrumOutputs outputs = outputs_of(p);
  std::vector<std::string> files = picture_names(p.output.prefix);
  files.insert(files.begin(), {outputs.hdf5.empty() ? "(no HDF5 in this build)" : outputs.hdf5, outputs.text});
  row("output", list_text(files));
  return text;
}

}  // namespace kov::app
