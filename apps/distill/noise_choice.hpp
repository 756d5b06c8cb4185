// SPDX-License-Identifier: MIT
//
// NoiseChoice: the section [noise] of `kovariant distill`: sources of diluted noise instead of one for each
// eigenvector.
#pragma once

#include "apps/settings/settings.hpp"
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/contractions/distillation/dilution.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kov::app {

/// The settings [noise]: how many independent noises, their numbers and dilution.
struct NoiseChoice {
  /// 0: exact perambulators.
  int count = 0;
  std::string kind = "z4";
  std::uint64_t seed = 1;
  /// As dilution() takes them.
  std::string time = "full", spin = "full", eigenvectors = "interlace 4";

  void add_to(Settings& settings);
  /// Throws InputError, which names the key.
  void check(const Settings& settings, int n_vectors) const;
  /// The same for the dilution in time, on a lattice with so many times.
  void check_times(const Settings& settings, int n_times) const;

  bool is_used() const { return count > 0; }
  DilutionScheme scheme() const;
  /// Noise number k of a configuration.  Its random numbers depend on the file name of the configuration, not on the
  /// folder, so every configuration has noise of its own.
  DilutedNoise noise(int k, const std::string& configuration, int n_times, int n_vectors) const;
  /// The classes in time that these times are in, ascending, each once.
  std::vector<int> time_classes(const std::vector<int>& times, int n_times) const;
  /// "z4, dilution time full, spin full, eigenvectors interlace 4"
  std::string description() const;
  /// Of files: description and seed.
  std::map<std::string, LabelValue> labels() const;
  /// Equal texts, equal numbers, but for those of the configuration and the number of the noise.
  std::string identity() const { return description() + " seed " + std::to_string(seed); }
};

}  // namespace kov::app
