// SPDX-License-Identifier: MIT
//
// NamedQuarks: the tables [[quark]] of a job.
#pragma once

#include "apps/quarks/quark_action.hpp"
#include "apps/quarks/solver_choice.hpp"

#include <deque>
#include <functional>
#include <string>

namespace kov::app {

/// A quark with the name that its files and correlators have.
struct NamedQuark : QuarkAction {
  std::string name = {};
  /// Where its propagators are read from instead of being solved for; empty: nowhere.
  std::string propagators = {};
  /// Of its sources and sinks, in units of 2 pi / L: see SourceChoice.
  std::array<double, 3> boost{0, 0, 0};
  SolverChoice solver = {};

  /// ", boost 0 0 -1, solved for by ..." where these are not those of the job; empty where they are.
  std::string differences(const SolverChoice& of_job, const std::array<double, 3>& boost_of_job) const;
};

/// In a deque, because settings are bound to them.
struct NamedQuarks : std::deque<NamedQuark> {
  /// A list of tables.  more: adds further keys of a table.
  void add_to(Settings& settings, const std::function<void(Settings&, NamedQuark&, const std::string& section)>& more);
  /// Solver and boost of a quark are those of the job where its table does not give them.  Throws InputError, which
  /// names the key: for names that are none or there twice, and as QuarkAction and SolverChoice do.
  void complete(Settings& settings, const SolverChoice& solver, const std::array<double, 3>& boost);
};

}  // namespace kov::app
