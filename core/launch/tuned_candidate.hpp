// SPDX-License-Identifier: MIT
//
// Choices of a tuner: of a launch's shape, and of one that is made at once, for work that may be repeated.
#pragma once

#include "kov/core/lattice/tune.hpp"
#include "kov/core/launch/launch_shape.hpp"

namespace kov::detail {

/// The choice of a launch's shape, one of launch_shapes().  key: of the launch, without `choice`.
inline std::shared_ptr<Tuner::Choice> shape_choice(Tuner& tuner, TuneKey key) {
  for (key.choice = "launch"; const LaunchShape& shape : launch_shapes()) (key.choice += ' ') += shape.name();
  return tuner.choice(key, int(launch_shapes().size()));
}

/// The fastest of n_candidates under this key, timed now unless the tuner knows it.  run(i) launches candidate i, which
/// may be repeated; fence() waits for it.  Collective, as Tuner::run_best() is.
inline int tuned_candidate(Tuner& tuner, const TuneKey& key, int n_candidates, const std::function<void(int)>& run,
                           const std::function<void()>& fence) {
  const auto choice = tuner.choice(key, n_candidates);
  while (!choice->is_made()) tuner.run_best(*choice, run, fence);
  return choice->candidate();
}

}  // namespace kov::detail
