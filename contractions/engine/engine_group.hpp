// SPDX-License-Identifier: MIT
//
// Several engines that contract the same perambulators, as one: for operators of several momenta, say, which have
// correlators among their own alone.
#pragma once

#include "kov/contractions/engine/engine.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <vector>

namespace kov {

/// Engine: DenseEngine or FactorisedEngine.  A slice of the group has those of its engines one after another;
/// add_correlators() reads every perambulator once for all of them.
template <class Engine>
class EngineGroup {
 public:
  using Real = typename Engine::Real;
  /// Throws InputError without engines, and where their times or perambulators differ in number.
  explicit EngineGroup(std::vector<Engine> engines) : engines_(std::move(engines)) {
    require(!engines_.empty(), "a group of engines is empty: give it at least one engine");
    for (const Engine& engine : engines_)
      require(engine.n_times() == n_times() && engine.perambulator_numbers() == perambulator_numbers(),
              "engines of a group have", engine.n_times(), "and", n_times(), "times,", engine.perambulator_numbers(),
              "and", perambulator_numbers(), "numbers of a perambulator: these must be the same");
  }

  const std::vector<Engine>& engines() const { return engines_; }
  int n_times() const { return engines_.front().n_times(); }
  int sinks_at_once() const {
    int least = n_times();
    for (const Engine& engine : engines_) least = std::min(least, engine.sinks_at_once());
    return least;
  }
  std::size_t perambulator_numbers() const { return engines_.front().perambulator_numbers(); }
  std::size_t slice_numbers() const {
    std::size_t sum = 0;
    for (const Engine& engine : engines_) sum += engine.slice_numbers();
    return sum;
  }

  /// Calls add() of each engine.
  void add(const SinkSlices<Real>& slices, const Exec& exec = {}) {
    SinkSlices<Real> of_engine = slices;
    for (Engine& engine : engines_) {
      engine.add(of_engine, exec);
      of_engine.at_sinks += engine.slice_numbers();
      of_engine.at_source += engine.slice_numbers();
    }
  }

 private:
  std::vector<Engine> engines_;
};

}  // namespace kov
