// SPDX-License-Identifier: MIT
//
// Kovariant's HDF5 files of propagators.
#pragma once

#include "kov/contractions/io/propagator_file.hpp"

namespace kov::detail {

/// Collective.  Throws FormatError for a file without a propagator of ours.
PropagatorSource hdf5_propagator(const Comm& comm, const SharedInput& file);

std::unique_ptr<PropagatorSink> hdf5_propagator_sink(const std::filesystem::path& path, const PropagatorHeader& header);

}  // namespace kov::detail
