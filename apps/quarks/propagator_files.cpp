// SPDX-License-Identifier: MIT
#include "apps/quarks/propagator_files.hpp"

#include <cctype>
#include <cmath>
#include <filesystem>

namespace kov::app {

namespace {

namespace fs = std::filesystem;

/// Of a configuration, in names of files.
std::string short_name(const std::string& configuration) {
  std::string name = fs::path(configuration).filename().string();
  for (char& c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (!(u < 128 && (std::isalnum(u) || c == '.' || c == '-' || c == '_'))) c = '_';
  }
  return name.substr(0, 100);
}

/// The template with its names in braces replaced.
std::string filled(std::string text, const std::string& configuration, const std::string& quark, const Coord& x) {
  const std::pair<const char*, std::string> values[] = {{"{configuration}", short_name(configuration)},
                                                        {"{quark}", quark},
                                                        {"{x}", std::to_string(x[0])},
                                                        {"{y}", std::to_string(x[1])},
                                                        {"{z}", std::to_string(x[2])},
                                                        {"{t}", std::to_string(x[3])}};
  for (const auto& [name, value] : values)
    for (std::size_t at; (at = text.find(name)) != text.npos;) text.replace(at, std::string(name).size(), value);
  return text;
}

std::string stored_identity(const std::string& file, const PropagatorHeader& header) {
  std::string text = file;
  for (const std::string& sums : header.checksums) text += " " + sums;
  return text;
}

bool same_label(const LabelValue& a, const LabelValue& b) {
  const double *x = std::get_if<double>(&a), *y = std::get_if<double>(&b);
  return x && y ? std::abs(*x - *y) < 1e-10 : a == b;  // kappa may follow from a mass
}

/// Of foreign files kappa; where the action is recorded, all that distinguishes it but for the boundary, absent labels
/// being defaults.
void require_labels(const StoredPropagator& stored, const NamedQuark& quark) {
  const std::map<std::string, LabelValue> expected = quark.labels();
  const std::map<std::string, LabelValue> defaults{{"c_sw", 0.0}, {"mu", 0.0}, {"xi0", 1.0}, {"nu", 1.0}};
  const auto find = [&](const std::map<std::string, LabelValue>& labels, const std::string& name) -> LabelValue {
    if (const auto found = labels.find(name); found != labels.end()) return found->second;
    const auto found = defaults.find(name);
    return found == defaults.end() ? LabelValue("unknown") : found->second;
  };
  const bool has_action = stored.labels.contains("action");
  for (const char* name : {"kappa", "action", "c_sw", "mu", "xi0", "nu"}) {
    if (!has_action && (name != std::string("kappa") || !stored.labels.contains("kappa"))) continue;
    const LabelValue in_file = find(stored.labels, name), of_quark = find(expected, name);
    require(same_label(in_file, of_quark), stored.file, "was solved for with", name, label_text(in_file) + ",",
            "and its quark", quark.name, "has",
            label_text(of_quark) + ": give the quark the numbers that the file has");
  }
}

}  // namespace

std::string propagator_stem(const std::string& prefix, const std::string& configuration, const std::string& quark,
                            const Coord& origin) {
  return prefix + "." + short_name(configuration) + "." + quark + "." + std::to_string(origin[0]) + "." +
         std::to_string(origin[1]) + "." + std::to_string(origin[2]) + "." + std::to_string(origin[3]);
}

StoredPropagator find_propagator(const Comm& comm, const std::string& place, const std::string& key,
                                 const std::string& quark, const BoundaryAngles& boundary,
                                 const std::string& configuration, const Coord& origin, const Coord& extent) {
  std::string file;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    if (place.find('{') != place.npos) {
      file = filled(place, configuration, quark, origin);
      return;
    }
    const std::string stem = propagator_stem(place, configuration, quark, origin);
    std::error_code none;
    for (const char* ending : {".h5", ".lime"})
      if (file.empty() && fs::exists(stem + ending, none)) file = stem + ending;
    require(!file.empty(), "there is no propagator of the quark", quark, "at", to_string(origin),
            "on " + configuration + ":", "neither", stem + ".h5", "nor .lime is a file; make it with",
            "`kovariant propagator`, or name the file in", key);
  });
  file = comm.broadcast(file);
  const PropagatorHeader header = read_propagator_header(comm, file);
  require(header.extent == extent, file, "is on the lattice", to_string(header.extent) + ", and the configurations on",
          to_string(extent) + ": name the propagators of these configurations in", key);
  require(!header.has_origin || header.labels.origin == origin, file, "starts from",
          to_string(header.labels.origin) + ", and", to_string(origin),
          "is asked for: give source.origins that the files have");
  require(!header.has_boundary || header.labels.boundary == boundary, file,
          "has other boundary angles than the quark here: give the quark's boundary, theta and theta_t as they were");
  StoredPropagator stored{.file = file,
                          .identity = stored_identity(file, header),
                          .source = header.labels.source,
                          .origin = origin,
                          .boundary = boundary,
                          .labels = header.labels.others};
  if (const auto profile = stored.labels.find("source_profile"); profile != stored.labels.end())
    stored.source_profile = label_text(profile->second);
  return stored;
}

StoredPropagator find_propagator(const Comm& comm, const NamedQuark& quark, const std::string& configuration,
                                 const Coord& origin, const Coord& extent) {
  StoredPropagator stored = find_propagator(comm, quark.propagators, "quark.propagators", quark.name,
                                            quark.boundary_angles(), configuration, origin, extent);
  require_labels(stored, quark);
  return stored;
}

template <class T>
Propagator<T> read_stored(const Lattice& lattice, const StoredPropagator& stored, const std::string& links_checksum) {
  PropagatorHeader header;
  Propagator<T> s = read_propagator<T>(lattice, stored.file, {}, &header);
  s.labels.origin = stored.origin;
  s.labels.boundary = stored.boundary;
  require(stored_identity(stored.file, header) == stored.identity, stored.file,
          "was replaced while this run was under way: run it again");
  require(header.metadata_value("links_checksum").value_or(links_checksum) == links_checksum, stored.file,
          "was solved for on other links than the configuration has: make it again");
  return s;
}

template Propagator<float> read_stored(const Lattice&, const StoredPropagator&, const std::string&);
template Propagator<double> read_stored(const Lattice&, const StoredPropagator&, const std::string&);

}  // namespace kov::app
