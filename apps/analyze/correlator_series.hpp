// SPDX-License-Identifier: MIT
//
// Correlators of an ensemble: those of one channel, momentum and set of labels on all configurations.
#pragma once

#include "kov/contractions/correlators/correlator_read.hpp"

#include <array>
#include <complex>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kov::app {

/// A correlator on all configurations.
struct CorrelatorSeries {
  std::string kind = {}, channel = {};
  Momentum momentum{0, 0, 0};
  /// Without the configuration.
  std::map<std::string, LabelValue> labels = {};
  std::size_t n_times = 0;
  /// A configuration each or, on a single configuration, a source.
  std::vector<std::string> samples = {};
  /// [sample][t], averaged over sources and, where asked for, equivalent momenta.
  std::vector<std::complex<double>> values = {};

  /// What disconnected correlators at rest are less: vacuum_weight <a><b>, at all times alike.  Re a, Im a, Re b, Im b
  /// of each sample; empty where there is no such part.  The values have the vacuum's part of all samples, vacuum_mean
  /// = <a><b>, taken out; replicas have their own.
  std::vector<std::array<double, 4>> vacuum = {};
  std::complex<double> vacuum_mean = 0;
  double vacuum_weight = 0;
  /// Which part is the correlator, where that is known and the other one is noise.
  std::optional<bool> imaginary = {};

  /// "name = value, ..." of the labels.
  std::string labels_text() const;
  /// The place in values of the first number that is not finite; none: values.size().
  std::size_t first_not_finite() const;
};

/// Whether hadrons propagate between two times, so that there is an energy: false of three-point functions and loops.
bool has_energy(const std::string& kind);

/// Collects arrays of correlators into series, whichever file they come from.
class SeriesCollector {
 public:
  /// average_momenta: of mesons and baryons with one operator at sink and source.  channels: patterns of names, none
  /// for all.
  SeriesCollector(bool average_momenta, std::vector<std::string> channels)
      : average_momenta_(average_momenta), channels_(std::move(channels)) {}

  /// file: for messages; extent: of the lattice, zeros where it is not known.  Throws InputError where a correlator
  /// comes twice, or its length differs from others in its series or from the lattice's times.
  void add(const CorrelatorArray& array, const std::string& file, const Coord& extent);

  /// In order of appearance.  Throws InputError when there is none.
  std::vector<CorrelatorSeries> take();

  std::size_t n_read() const { return n_read_; }

 private:
  /// What is summed for a sample: (series, configuration, source) is a row.
  struct Rows {
    CorrelatorSeries head;
    /// Indices of names_.
    std::vector<int> configurations;
    std::vector<Coord> sources;
    std::vector<std::vector<Momentum>> members;
    std::vector<std::complex<double>> sums;
    std::map<std::pair<int, Coord>, std::size_t> place;
  };
  Rows& rows_of(const CorrelatorArray& array, const Momentum& momentum);

  bool average_momenta_;
  std::vector<std::string> channels_;
  std::map<std::string, std::size_t> place_;
  std::vector<Rows> all_;
  /// Of configurations.
  std::vector<std::string> names_;
  std::map<std::string, int> number_;
  std::size_t n_read_ = 0;
};

/// The extents, and where they are not known those of a cube that is large enough.
Coord known_extent(Coord extent);
/// Whether a momentum is 0 on the lattice.
bool is_at_rest(const Momentum& p, const Coord& extent);

/// The operator of a channel "sink-source" that has one at both ends; empty of others, and of "proton".
std::string equal_operator(const std::string& channel);

/// Whether a name is one of these patterns, with * and ?; no patterns match nothing.
bool matches_any(const std::string& name, const std::vector<std::string>& patterns);

}  // namespace kov::app
