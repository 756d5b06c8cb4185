// SPDX-License-Identifier: MIT
//
// Private to solvers in mixed precision: low precision first, high precision for what that brought no further.
#pragma once

#include "kov/algebra/solve_run.hpp"

namespace kov::detail {

/// Starts of the stages, low precision and each one in high precision, without halving the true residual, after which a
/// column is given up.
inline constexpr int stages_patience = 3;

/// Solves in stages: in low precision once, then in high precision until the solve is over; reports the switch.
///
/// is_over(): run.over() of the residuals in high precision, with stages_patience.  in_low(), in_high(): a stage for
/// the columns that run.stopped() does not name, which it adds to run.  Columns that in_low() brings no further are for
/// in_high() to continue, so it does not give them up.
template <class IsOver, class InLow, class InHigh>
void solve_in_stages(SolveRun& run, const IsOver& is_over, const InLow& in_low, const InHigh& in_high) {
  for (int stage = 0; !is_over(); ++stage) {
    if (stage == 1) run.switch_precision();
    if (stage == 0)
      in_low();
    else
      in_high();
  }
}

}  // namespace kov::detail
