// SPDX-License-Identifier: MIT
//
// SourceChoice: the section [source] of a job: what is put where, and how it is smeared.
#pragma once

#include "apps/quarks/link_choice.hpp"
#include "apps/quarks/named_quarks.hpp"
#include "apps/quarks/propagator_files.hpp"
#include "apps/settings/settings.hpp"
#include "apps/smear/smearing_choice.hpp"
#include "kov/contractions/sources/propagator.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// The settings [source]: type, positions and smearing of the sources of quarks.
struct SourceChoice {
  std::string type = "point", smearing = "wuppertal";
  SmearingChoice choice = {};
  double accuracy = 1e-8;
  /// Momentum smearing, in units of 2 pi / L, of quarks whose tables do not give their own.
  std::array<double, 3> boost{0, 0, 0};
  std::vector<Coord> origins = {};
  int count = 1;
  bool random = false;
  std::uint64_t seed = 1;
  /// Of a plane wave.
  std::array<int, 3> momentum{0, 0, 0};
  /// Of a grid's points; 0: half the extents.
  std::array<int, 3> spacing{0, 0, 0};
  std::string noise = "z2";
  /// Of sequential sources: the quark that goes to the sink, where its propagators are, and what is there.
  std::string propagators = {}, quark = "quark0", gamma = "pion";
  int t_sink = 0;

  /// All but what sequential sources take.
  void add_to(Settings& settings);
  /// With sequential sources.
  void add_all_to(Settings& settings);
  /// Throws InputError, which names the key.
  void check(const Settings& settings) const;
  /// The same where it takes the extents.
  void check(const Settings& settings, const Coord& extent) const;
  /// Calls used(key, whether it counts, where it would) for the keys of types and positions.
  void check_used(const std::function<void(const char* key, bool used, const char* where)>& used) const;
  /// That of a quark, which may have its own boost.
  SourceChoice of(const NamedQuark& quark) const;

  /// source.origins, count of them drawn at random for a configuration (of this name, whatever its folder), or count of
  /// them spread over the lattice.  Walls of all kinds have (0, 0, 0, t).
  std::vector<Coord> positions(const Coord& extent, const std::string& configuration) const;
  /// Whether it covers a time slice, so that only its time counts.
  bool is_wall() const { return type == "wall" || type == "momentum" || type == "noise"; }
  bool is_sequential() const { return type == "sequential"; }
  /// Whether it has random numbers.
  bool is_noisy() const { return type == "noise" || (type == "grid" && noise != "none"); }
  bool is_smeared() const { return smearing != "none"; }
  bool is_boosted() const { return boost != std::array<double, 3>{}; }

  /// "grid of points every 4 4 4 with z2 noise, smeared by ..."
  std::string description() const;
  /// What distinguishes its propagators, but for the origin.
  std::map<std::string, LabelValue> labels(const LinkChoice& links) const;
  /// The keys and values that the numbers of a source depend on.
  std::string identity(const LinkChoice& links) const;

 private:
  void add_with(Settings& settings, const std::vector<std::string>& types, const std::string& about_momentum);
};

/// Throws InputError unless each component of this key, a boost, is below 10^9.
void check_boost(const Settings& settings, const std::string& key, const std::array<double, 3>& boost);

/// Makes smearings on one configuration, whose links are smeared once, and once in memory for each boost.
template <class T>
class SmearingMaker {
 public:
  SmearingMaker(const GaugeField<double>& gauge, const LinkChoice& links) : gauge_(gauge.alias()), links_(links) {}

  /// accuracy: of the series of a profile; boost: in units of 2 pi / L.  Collective.
  QuarkSmearing<T> operator()(const SmearingChoice& choice, const std::string& smearing, double accuracy,
                              const std::array<double, 3>& boost);

 private:
  GaugeField<double> gauge_;
  LinkChoice links_;
  std::optional<GaugeField<double>> smooth_ = {};
  std::map<std::array<double, 3>, GaugeLinks<T>> boosted_ = {};
};

/// Makes the sources of one configuration.
template <class T>
class SourceMaker {
 public:
  /// Smearings of the boosts that quarks have.  Collective.
  SourceMaker(const Lattice& lattice, const LinkChoice& links, const SourceChoice& source, SmearingMaker<T>& smearings,
              const std::vector<NamedQuark>& quarks);

  /// Of a quark, smeared, with its labels but for those of the quark.  to_sink: of a sequential source;
  /// links_checksum: of the configuration.  Collective; throws like require_usable().
  Propagator<T> operator()(const NamedQuark& quark, const Coord& origin, const std::string& configuration,
                           const std::optional<StoredPropagator>& to_sink = {},
                           const std::string& links_checksum = {}) const;

 private:
  Propagator<T> sequential(const Coord& origin, const StoredPropagator& to_sink, const std::string& links_checksum,
                           const QuarkSmearing<T>& smearing) const;

  Lattice lattice_;
  SourceChoice source_;
  LinkChoice links_;
  /// By boost.
  std::map<std::array<double, 3>, QuarkSmearing<T>> smearings_;
};

}  // namespace kov::app
