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
  const PropagatorHeader header = read_propagator_header(comm, file, {.order = PropagatorOrder::qdpxx});
  require(header.extent == extent, file, "is on the lattice", to_string(header.extent) + ", and the configurations on",
          to_string(extent));
  require(header.labels.origin == origin, file, "starts from", to_string(header.labels.origin) + ", and",
          to_string(origin), "is asked for: give source.origins that the files have");
  require(header.labels.boundary == boundary, file,
          "has other boundary angles than the quark here: give the quark's boundary and theta as they were");
  StoredPropagator stored{.file = file, .identity = file};
  for (const std::string& sums : header.checksums) stored.identity += " " + sums;
  const auto& labels = header.labels.others;
  if (const auto profile = labels.find("source_profile"); profile != labels.end())
    stored.source_profile = label_text(profile->second);
  if (const auto kappa = labels.find("kappa"); kappa != labels.end())
    if (const double* value = std::get_if<double>(&kappa->second)) stored.kappa = *value;
  return stored;
}

StoredPropagator find_propagator(const Comm& comm, const NamedQuark& quark, const std::string& configuration,
                                 const Coord& origin, const Coord& extent) {
  const StoredPropagator stored = find_propagator(comm, quark.propagators, "quark.propagators", quark.name,
                                                  quark.boundary_angles(), configuration, origin, extent);
  require(!stored.kappa || std::abs(*stored.kappa - quark.kappa) < 1e-10, stored.file, "was solved for with kappa",
          stored.kappa.value_or(0), "and its quark", quark.name, "has", quark.kappa,
          ": give the quark the numbers that the file has");
  return stored;
}

template <class T>
Propagator<T> read_stored(const Lattice& lattice, const StoredPropagator& stored, const std::string& links_checksum) {
  PropagatorHeader header;
  Propagator<T> s = read_propagator<T>(lattice, stored.file, {.order = PropagatorOrder::qdpxx}, &header);
  std::string identity = stored.file;
  for (const std::string& sums : header.checksums) identity += " " + sums;
  require(identity == stored.identity, stored.file, "was replaced while this run was under way: run it again");
  for (const auto& [name, value] : header.metadata)
    require(name != "links_checksum" || value == links_checksum, stored.file,
            "was solved for on other links than the configuration has: make it again");
  return s;
}

template Propagator<float> read_stored(const Lattice&, const StoredPropagator&, const std::string&);
template Propagator<double> read_stored(const Lattice&, const StoredPropagator&, const std::string&);

}  // namespace kov::app
