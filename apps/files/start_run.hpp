// SPDX-License-Identifier: MIT
//
// How subcommands of one configuration start: the plan, the memory that it takes, and the locks of what they write.
#pragma once

#include "apps/files/output_files.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// What a subcommand has found to be possible and is about to do.
struct RunPlan {
  /// Its rows, as --dry-run prints them.
  std::string text;
  /// Of all fields together.
  double bytes_per_site = 0;
  bool dry_run = false;
};

/// Logs the plan and warns where the fields need more memory than there is.  With dry_run prints the plan and returns
/// nothing: the subcommand ends.  Otherwise begins the session's run and returns the locks of the outputs, which last
/// as long as the caller keeps them.  Throws InputError, on all ranks, when another run writes one of the outputs.
/// Collective.
[[nodiscard]] std::optional<std::vector<OutputLock>> start_run(const Session& session, const RunPlan& plan,
                                                               const Lattice& lattice, const OutputFiles& outputs);

}  // namespace kov::app
