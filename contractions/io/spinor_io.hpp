// SPDX-License-Identifier: MIT
//
// Single columns of propagators in files, for programs that keep what they have solved for so far.
#pragma once

#include "kov/contractions/io/propagator_io.hpp"

namespace kov {

/// Writes a spinor, in the precision that it has, as a SciDAC file of one record like those of USQCD's propagators,
/// with names and values without line ends.  Read back and compared before it gets its name.  Collective.  Throws like
/// write_propagator(), and InputError unless the field has one component on all sites.
template <class T>
void write_spinor(const SpinorField<T>& psi, const std::filesystem::path& path,
                  const std::vector<std::pair<std::string, std::string>>& metadata = {});

/// Reads it into psi, rounded to T.  Collective.  Throws like read_propagator().
template <class T>
PropagatorHeader read_spinor(const SpinorField<T>& psi, const std::filesystem::path& path);

/// The header alone.  Collective.
PropagatorHeader read_spinor_header(const Comm& comm, const std::filesystem::path& path);

}  // namespace kov
