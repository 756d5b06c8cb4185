// SPDX-License-Identifier: MIT
//
// Names of the files of propagators, and propagators that a job reads.
#pragma once

#include "apps/quarks/named_quarks.hpp"
#include "kov/contractions/io/propagator_io.hpp"

#include <map>
#include <string>

namespace kov::app {

/// PREFIX.CONFIGURATION.QUARK.X.Y.Z.T without an ending; the folder of the configuration does not count.
std::string propagator_stem(const std::string& prefix, const std::string& configuration, const std::string& quark,
                            const Coord& origin);

/// A quark's propagator from an origin on a configuration, in a file.
struct StoredPropagator {
  std::string file;
  /// Its checksums and what made it: changes with its numbers.
  std::string identity;
  /// The type of its source; empty where the file does not say.
  std::string source = {};
  /// What its source is smeared by, as SmearingChoice::description() says it; empty where the file does not say.
  std::string source_profile = {};
  /// From where it starts and the boundary it was solved for with, which files need not record.
  Coord origin{};
  BoundaryAngles boundary = {};
  /// What else the file records.
  std::map<std::string, LabelValue> labels = {};
};

/// Finds it.  Origin and boundary are compared where the file records them.  place: the prefix of a `kovariant
/// propagator`, or a name with {configuration}, {quark}, {x}, {y}, {z} and {t} in it; key: the setting that it is from.
/// Throws InputError where there is none, or it is of another lattice, origin or boundary.  Collective.
StoredPropagator find_propagator(const Comm& comm, const std::string& place, const std::string& key,
                                 const std::string& quark, const BoundaryAngles& boundary,
                                 const std::string& configuration, const Coord& origin, const Coord& extent);
/// The same for quark.propagators of a quark, which must have the kappa that a file records; and where it records the
/// action, all that QuarkAction::labels() has.
StoredPropagator find_propagator(const Comm& comm, const NamedQuark& quark, const std::string& configuration,
                                 const Coord& origin, const Coord& extent);

/// Reads it.  links_checksum: of the configuration; a file that records another one is refused.  Collective.
template <class T>
Propagator<T> read_stored(const Lattice& lattice, const StoredPropagator& stored, const std::string& links_checksum);

}  // namespace kov::app
