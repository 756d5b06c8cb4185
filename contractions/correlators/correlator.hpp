// SPDX-License-Identifier: MIT
//
// Correlator: what contractions return and files hold: complex numbers against time with the labels that say what they
// are.
#pragma once

#include "kov/contractions/kernels/momentum.hpp"

#include <complex>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kov {

/// A text or a number, which files keep as what it is.
using LabelValue = std::variant<std::string, std::int64_t, double>;

/// The value as text; real numbers with as many digits as it takes to read them back.
std::string label_text(const LabelValue& value);

struct Correlator {
  /// What was contracted: "meson", "baryon".
  std::string kind;
  /// Which one: "pion-pion" (sink-source), "proton".
  std::string channel;
  Momentum momentum{0, 0, 0};
  /// Global coordinate of the source.
  Coord source{0, 0, 0, 0};
  /// Whatever else tells it from others, for instance {"source_smearing", "gauss 2.0 5"}, {"kappa", 0.15}.  The label
  /// "configuration" is a dimension in files.
  std::map<std::string, LabelValue> labels = {};
  /// value[t], t counted from the source.
  std::vector<std::complex<double>> value = {};
};

/// Adds a label to every correlator of a list.
std::vector<Correlator> with_label(std::vector<Correlator> correlators, const std::string& name,
                                   const LabelValue& value);

/// Averages correlators that differ in nothing but momenta of one class (see representative()); the average carries the
/// representative momentum.  extent: the lattice's.  Throws InputError when lengths differ within a class.
std::vector<Correlator> average_equivalent_momenta(const std::vector<Correlator>& correlators, const Coord& extent);

/// What a file of correlators says about where they come from.
struct CorrelatorProvenance {
  /// Lattice extents.
  Coord extent{0, 0, 0, 0};
  /// What the program was asked to do, for instance {"action.kappa", 0.15}.
  std::map<std::string, LabelValue> parameters = {};
  /// What is known of each configuration, by the label of its correlators: {"1000", {{"plaquette", 0.5937}, ...}}.
  std::map<std::string, std::map<std::string, LabelValue>> inputs = {};
  /// And of the work on each configuration and source: {{"1000", {0, 0, 0, 0}}, {{"iterations", 141}, ...}}.
  std::map<std::pair<std::string, Coord>, std::map<std::string, LabelValue>> solves = {};
};

/// Writes an HDF5 file; it is complete or absent.  Only rank 0 writes; all ranks throw together when it fails.
/// Collective.
///
/// Layout, version 2: /<kind>/<channel> is a dataset [configuration][source][momentum][t] of complex numbers {r, i},
/// with every label but "configuration" as an attribute and the attribute momenta, the integers n_x n_y n_z of
/// p = 2 pi n / L, one momentum after the other.  A channel that comes with several sets of labels is a group, and its
/// datasets have the labels that differ for names: /meson/pion-pion/wuppertal.  Dimensions have labels and scales:
///   /axes/configuration  labels in order of appearance; "" where correlators have none
///   /axes/source         0, 1, ...; /inputs/origin [configuration][source][4] says where these are
///   /axes/momentum       [momentum][3]; momentum_2, ... where datasets have other lists
///   /axes/t              0, 1, ...; t_2, ... where datasets have other lengths
/// /inputs and /solves have a dataset [configuration] and [configuration][source] for each name of the provenance:
/// integers or reals where all of its values are numbers (NaN where there is none), else texts.
/// Attributes of /: format "kovariant correlators", format_version 2, extent, conventions (texts), version, revision,
/// build, hdf5; of /parameters: the parameters.
///
/// Where configurations have different numbers of sources, origins beyond a configuration's last are -1 -1 -1 -1 and
/// values there NaN.  Throws InputError when there is nothing to write, when a channel lacks a source of a
/// configuration or a momentum of one of its sources, NotBuilt without HDF5.
void write_correlators(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                       const CorrelatorProvenance& provenance, const Comm& comm);

/// Reads what write_correlators wrote, and files of version 1, whose labels are all texts.  Throws FormatError when the
/// file is something else.
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
