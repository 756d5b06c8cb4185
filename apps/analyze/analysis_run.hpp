// SPDX-License-Identifier: MIT
//
// An analysis: files of correlators in, tables, HDF5 and pictures of energies out.
#pragma once

#include "apps/analyze/analyze_parameters.hpp"
#include "apps/analyze/correlator_mapping.hpp"
#include "apps/files/output_files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// What is analysed.
struct AnalysisInput {
  std::vector<std::string> files;
  /// Where correlators and labels are in files of another code; not set for Kovariant's own files.
  std::optional<CorrelatorMapping> mapping = {};
  /// x y z t of the lattice; zeros where it is not known before files are read.
  Coord extent{0, 0, 0, 0};
};

/// Bytes that analyse() takes for correlators and results, about: every number twice, while sources and momenta are
/// averaged, and the replicas of energies.  Throws FormatError, InputError for files that it refuses.
double analysis_bytes(const AnalysisInput& input, const AnalyzeParameters& parameters);

/// Adds the files that analyse() writes: output.prefix with .txt, .h5 and the pictures' endings.
void add_analysis_outputs(OutputFiles& files, const AnalyzeParameters& parameters);

/// Reads all correlators, prints energies, effective masses, dispersion relations, ratios and the GEVP, and writes
/// those files.  Throws InputError for files and parameters that do not go together.  Collective; one process
/// does it all, and draws only where it is alone.
void analyse(const Session& session, const AnalysisInput& input, const AnalyzeParameters& parameters);

}  // namespace kov::app
