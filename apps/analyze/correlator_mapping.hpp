// SPDX-License-Identifier: MIT
//
// Correlators in HDF5 files of other codes: a mapping says where they are.
#pragma once

#include "apps/settings/settings.hpp"
#include "kov/contractions/correlators/correlator_read.hpp"
#include "kov/core/io/hdf5.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kov::app {

/// One [[correlator]] of a mapping: datasets that are alike.
struct MappedDatasets {
  /// Path with {name} for a part of the path, which is a label; {channel}, {kind}, {configuration}, {source}, {px},
  /// {py} and {pz} are what they say.
  std::string dataset;
  /// Where imaginary parts are datasets of their own: their path, with the same names.
  std::string imaginary;
  /// What each index is, the slowest first: "t", "configuration", "source", "part" (2: real and imaginary), "momentum";
  /// any other word is a label whose value is the index.
  std::vector<std::string> axes{"configuration", "t"};
  std::string kind = "correlator", channel;
  std::array<int, 3> momentum{0, 0, 0};
  /// Of the index "momentum".
  std::vector<std::array<int, 3>> momenta;
  /// All numbers are multiplied by it.
  double factor = 1;
};

/// Where the correlators of another program lie in its HDF5 files: a TOML file with tables [[correlator]].
class CorrelatorMapping {
 public:
  /// From the text of a TOML file; file: its name, for messages.  Throws InputError.
  CorrelatorMapping(const std::string& toml, const std::string& file);

  /// Calls visit(array, i, n) for the datasets of an HDF5 file that a table of the mapping names.  Where neither path
  /// nor index is the configuration, the file is one, by its name.  Throws FormatError where a dataset is not as the
  /// mapping says, InputError where the mapping matches nothing.
  void visit(const std::string& path,
             const std::function<void(CorrelatorArray array, std::size_t i, std::size_t n)>& visit) const;

  /// How many correlators visit() finds, of all channels, from the shapes of datasets.  Throws InputError likewise.
  CorrelatorCount count(const std::string& path) const;

 private:
  /// A dataset of a file, and what the names in the path of its table stand for.
  struct Found {
    std::string dataset;
    std::map<std::string, std::string> names;
    const MappedDatasets* table;
  };
  /// Throws InputError where there is none.
  std::vector<Found> datasets(const Hdf5File& file) const;

  std::vector<std::unique_ptr<MappedDatasets>> tables_;
  std::string file_;
};

}  // namespace kov::app
