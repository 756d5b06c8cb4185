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

using OpenSink = std::function<std::unique_ptr<PropagatorSink>()>;

/// Opens the sink on rank 0, once all memory is there, writes all time slices and finishes it.  elements: as in
/// PropagatorPart, some or all of the field's.  The sink, nothing on other ranks.  Collective.  Throws InputError for a
/// number that is not finite in this many bits.
template <class T>
std::unique_ptr<PropagatorSink> write_spinors(const SpinorField<T>& field, const std::vector<int>& elements, int bits,
                                              const OpenSink& open, const std::string& name);

/// The lexicographic index of the first site where the 12 columns are no number times 1 in spin and colour; -1 where
/// there is none.  Collective.
template <class T>
std::int64_t first_not_scalar(const SpinorField<T>& columns);

}  // namespace kov::detail
