// SPDX-License-Identifier: MIT
//
// USQCD's files of propagators: a record of spinors for each spin and colour of the source, and the source beside them.
// C. DeTar et al., "Input/Output for QCD", version 2.3, appendix "USQCD Dirac Propagator Format".
#pragma once

#include "kov/contractions/io/qio_file.hpp"

namespace kov::detail {

/// The twelve columns in any order, as their spin and colour say.  source.header has bits and extents of the columns
/// already.  Throws FormatError where one is missing, there twice or of another size.
void usqcd_propagator(PropagatorSource& source, const SharedInput& file, const QioFile& found);

/// The source in the file: one complex number a site, times 1 in spin and colour, before all columns, or one before
/// each, complex or a spinor.  Throws FormatError where one is missing, at another place or of another size.
PropagatorSource usqcd_source(const SharedInput& file);

/// A new file without records; only on rank 0.  scalar: with one complex source, else with pairs of spinors.
std::shared_ptr<QioWriter> usqcd_writer(const std::filesystem::path& path, const PropagatorHeader& header, bool scalar);

/// scidac-record-xml of a source and of a column.
std::string usqcd_source_xml();
std::string usqcd_column_xml(int column);

}  // namespace kov::detail
