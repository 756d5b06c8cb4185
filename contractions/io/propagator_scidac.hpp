// SPDX-License-Identifier: MIT
//
// Propagators in QIO's files: one record with all numbers, as Chroma writes them; those of columns in
// propagator_usqcd.hpp.
#pragma once

#include "kov/contractions/io/propagator_file.hpp"

namespace kov {
class XmlRecord;
}

namespace kov::detail {

/// What is of use in a record of Chroma's.
void chroma_labels(const XmlRecord& xml, PropagatorHeader& header);

/// Throws FormatError for a file without a propagator.
PropagatorSource scidac_propagator(const SharedInput& file, const ReadPropagatorOptions& options);

std::unique_ptr<PropagatorSink> scidac_propagator_sink(const std::filesystem::path& path,
                                                       const PropagatorHeader& header);

/// A file of one column, and where it is written.
PropagatorSource scidac_spinor(const SharedInput& file);
std::unique_ptr<PropagatorSink> scidac_spinor_sink(const std::filesystem::path& path, const PropagatorHeader& header);

}  // namespace kov::detail
