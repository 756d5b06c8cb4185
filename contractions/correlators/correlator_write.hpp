// SPDX-License-Identifier: MIT
//
// Correlators into HDF5, an array for each channel.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kov {

/// Writes an HDF5 file; it is complete or absent.  Only rank 0 writes; all ranks throw together when it fails.
/// Collective.
///
/// Layout, version 2: /<kind>/<channel> is a dataset [configuration][source][momentum][t] of complex numbers {r, i},
/// with every label but "configuration" as an attribute and the attribute momenta, the integers n_x n_y n_z of
/// p = 2 pi n / L, one momentum after the other.  A channel that comes with several sets of labels is a group, and its
/// datasets have the labels that differ for names: /meson/pion-pion/wuppertal.  Correlators without source are datasets
/// [configuration][momentum][t].  Dimensions have labels and scales:
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

}  // namespace kov
