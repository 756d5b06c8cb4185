// SPDX-License-Identifier: MIT
//
// QIO's files of propagators, SciDAC and USQCD.
#pragma once

#include "kov/contractions/io/propagator_file.hpp"

namespace kov::detail {

/// Throws FormatError for a file without a propagator.
PropagatorSource scidac_propagator(const SharedInput& file, const ReadPropagatorOptions& options);

std::unique_ptr<PropagatorSink> scidac_propagator_sink(const std::filesystem::path& path,
                                                       const PropagatorHeader& header);

/// A file of one column, and where it is written.
PropagatorSource scidac_spinor(const SharedInput& file);
std::unique_ptr<PropagatorSink> scidac_spinor_sink(const std::filesystem::path& path, const PropagatorHeader& header);

}  // namespace kov::detail
