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
};

/// In a deque, because settings are bound to them.
struct NamedQuarks : std::deque<NamedQuark> {
  /// A list of tables.  more: adds further keys of a table.
  void add_to(Settings& settings, const std::function<void(Settings&, NamedQuark&, const std::string& section)>& more);
  /// Throws InputError, which names the key: for names that are none or there twice, and as QuarkAction does.
  void complete(Settings& settings, const SolverChoice& solver);
};

}  // namespace kov::app
