// SPDX-License-Identifier: MIT
//
// Correlators from HDF5.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"

#include <complex>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kov {

/// A dataset of a file of correlators: those of one channel and one set of labels.
struct CorrelatorArray {
  /// Kind, channel and labels, without the configuration; no momentum, source or values.
  Correlator head;
  std::vector<Momentum> momenta = {};
  std::size_t n_times = 0;
  /// Of each row, a source of a configuration; "" where correlators have no label of that name.  no_source where the
  /// file has no source.
  std::vector<std::string> configurations = {};
  std::vector<Coord> sources = {};
  /// [row][momentum][t]
  std::vector<std::complex<double>> values = {};
};

/// The extents of the lattice that a file of write_correlators() names; zeros where it names none, and for files of
/// other kinds.
Coord extent_of_correlators(const std::filesystem::path& path);

/// How many correlators are in a file, each of one channel, set of labels, momentum, configuration and source.
struct CorrelatorCount {
  double correlators = 0;
  /// All but the configuration and the source.
  double series = 0;
  /// At all times of all correlators.
  double numbers = 0;
};

/// Those of a file of write_correlators() whose channel counts, from the shapes of its datasets: nothing else is read.
/// Throws FormatError when the file is something else.
CorrelatorCount count_correlators(const std::filesystem::path& path,
                                  const std::function<bool(const std::string& channel)>& counts);

/// Calls visit(array, i, n) for the datasets i = 0, ..., n - 1 of a file that write_correlators wrote, one in memory at
/// a time, and before these begin(extents of the lattice, zeros where the file names none).  Throws FormatError when
/// the file is something else.
void visit_correlators(
    const std::filesystem::path& path,
    const std::function<void(CorrelatorArray array, std::size_t i, std::size_t n)>& visit,
    const std::function<void(const Coord& extent)>& begin = [](const Coord&) {});

/// Reads what write_correlators wrote, and files of version 1, whose labels are all texts.  Throws FormatError when the
/// file is something else.
std::vector<Correlator> read_correlators(const std::filesystem::path& path);

}  // namespace kov
