// SPDX-License-Identifier: MIT
//
// Correlator: what contractions return and files hold: complex numbers against time with the labels that say what they
// are.
#pragma once

#include "kov/contractions/momentum.hpp"

#include <complex>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kov {

struct Correlator {
  /// What was contracted: "meson", "baryon".
  std::string kind;
  /// Which one: "pion-pion" (sink-source), "proton".
  std::string channel;
  Momentum momentum{0, 0, 0};
  /// Global coordinate of the source.
  Coord source{0, 0, 0, 0};
  /// Whatever else tells it from others, for instance {"source_smearing", "gauss 2.0 5"}, {"configuration", "1000"}.
  std::map<std::string, std::string> labels = {};
  /// value[t], t counted from the source.
  std::vector<std::complex<double>> value = {};
};

/// Adds a label to every correlator of a list.
std::vector<Correlator> with_label(std::vector<Correlator> correlators, const std::string& name,
                                   const std::string& text);

/// Averages correlators that differ in nothing but momenta of one class (see representative()); the average carries the
/// representative momentum.  extent: the lattice's.  Throws InputError when lengths differ within a class.
std::vector<Correlator> average_equivalent_momenta(const std::vector<Correlator>& correlators, const Coord& extent);

/// What a file of correlators says about where they come from.
struct CorrelatorProvenance {
  /// Lattice extents.
  Coord extent{0, 0, 0, 0};
  /// What the program was asked to do, for instance the whole parameter file as {"parameters", text}.
  std::map<std::string, std::string> parameters = {};
  /// Checksums of what was read, for instance {"configuration 1000 sha256", "..."}.
  std::map<std::string, std::string> inputs = {};
};

/// Writes an HDF5 file; it is complete or absent.  Only rank 0 writes; all ranks throw together when it fails.
/// Collective.
///
/// Layout: /<kind>/<channel>/<k> is a dataset [momentum][t] of complex numbers {r, i} for each set of labels and
/// source, k = 0, 1, ... in order of appearance; its attributes are source (4 integers), momenta (the integers n_x n_y
/// n_z of p = 2 pi n / L, one momentum after the other) and every label.  Attributes of /: format "kovariant
/// correlators", format_version 1, extent, conventions (texts), version, revision, build, hdf5, and groups /parameters
/// and /inputs with one attribute for each entry of the provenance.  Throws InputError when there is nothing to write,
/// NotBuilt without HDF5.
void write_correlators(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                       const CorrelatorProvenance& provenance, const Comm& comm);

/// Reads what write_correlators wrote.  Throws FormatError when the file is something else.
std::vector<Correlator> read_correlators(const std::filesystem::path& path);

/// The same as columns of text "t real imag", one block for each correlator with its labels in comment lines before it,
/// two blank lines between blocks, as gnuplot's index wants them.  17 digits.
std::string to_text(const std::vector<Correlator>& correlators, const CorrelatorProvenance& provenance);
/// Writes to_text(); complete or absent.  Collective, as write_correlators.
void write_correlator_text(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                           const CorrelatorProvenance& provenance, const Comm& comm);

/// The conventions that numbers in these files follow, one line each.
const std::vector<std::string>& correlator_conventions();

}  // namespace kov
