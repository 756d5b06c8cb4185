// SPDX-License-Identifier: MIT
//
// Private to correlator_write.cpp: correlators sorted into one array for each channel.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"

#include <complex>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kov::detail {

/// The place of a value in a list without repetitions, in order of appearance.
template <class T>
class Numbering {
 public:
  std::size_t add(const T& value) {
    const auto [at, is_new] = place_.try_emplace(value, list_.size());
    if (is_new) list_.push_back(value);
    return at->second;
  }
  std::size_t at(const T& value) const { return place_.at(value); }
  std::optional<std::size_t> find(const T& value) const {
    const auto found = place_.find(value);
    return found == place_.end() ? std::nullopt : std::optional(found->second);
  }
  const std::vector<T>& list() const { return list_; }
  std::size_t size() const { return list_.size(); }

 private:
  std::map<T, std::size_t> place_;
  std::vector<T> list_;
};

/// Configurations, and the sources of each; no_source is none of them.
struct CorrelatorSources {
  Numbering<std::string> configurations;
  std::vector<Numbering<Coord>> of;
  std::size_t most = 0;

  explicit CorrelatorSources(const std::vector<Correlator>& correlators);
};

/// One array [configuration][source][momentum][t]; of correlators without source, [configuration][momentum][t].
struct CorrelatorTable {
  const Correlator* first;
  std::vector<const Correlator*> rows = {};
  Numbering<Momentum> momenta = {};
  std::string path = {};

  std::size_t n_times() const { return first->value.size(); }
  bool has_source() const { return first->source != no_source; }
  /// All labels except the configuration.
  std::map<std::string, LabelValue> labels() const;
};

/// The tables of a file, in order of appearance, their paths named by the labels that differ.  They point to the
/// correlators.  Throws InputError for names that HDF5 or the file cannot have, and where lengths differ or some have a
/// source and others none.
std::vector<CorrelatorTable> tables_of(const std::vector<Correlator>& correlators);

/// The array of a table; every source of every configuration, or without sources every configuration, must have every
/// momentum.  Throws InputError where one is missing or there twice.  NaN beyond the sources of a configuration.
std::vector<std::complex<double>> values_of(const CorrelatorTable& table, const CorrelatorSources& sources);

}  // namespace kov::detail
