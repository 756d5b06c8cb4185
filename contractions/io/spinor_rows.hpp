// SPDX-License-Identifier: MIT
//
// Fields of spinors, of any number of components, from and into the files of propagator_file.hpp: what all formats and
// kinds of file share.
#pragma once

#include "kov/contractions/io/propagator_file.hpp"

namespace kov::detail {

/// All sites of the field, whose elements the parts of the source name.  Collective.  Throws InputError when the file
/// is of another lattice, FormatError for checksums that differ and numbers that are not finite in T.  name: of the
/// file.
template <class T>
void read_spinors(const PropagatorSource& source, const SpinorField<T>& field, const std::string& name);

/// Throws FormatError unless the file has the numbers of the field, rounded to its bits.  Collective.
template <class T>
void compare_spinors(const PropagatorSource& source, const SpinorField<T>& field, const std::string& name);

/// Writes all time slices and finishes the sink, which is on rank 0 alone.  elements: as in PropagatorPart.
/// Collective.  Throws InputError for a number that is not finite in so many bits.
template <class T>
void write_spinors(const SpinorField<T>& field, const std::vector<int>& elements, int bits, PropagatorSink* sink,
                   const std::string& name);

}  // namespace kov::detail
