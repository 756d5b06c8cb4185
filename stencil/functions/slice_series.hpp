// SPDX-License-Identifier: MIT
//
// Chebyshev series of the Laplacian in space, one time slice after the other: see slice_smearing.hpp.  Not for users.
#pragma once

#include "kov/stencil/operators/gauge_links.hpp"

#include <vector>

namespace kov::detail {

/// One step of Clenshaw's recurrence: to = source * in + alpha * from + beta * (sum of the legs of from) - before.
struct SeriesStep {
  double source, alpha, beta;
  /// Whether there is a `before`, the vector of the last step but one, with the factor -1.
  bool has_before;
};

/// All steps, one time slice after the other, bit for bit as step by step; in may be out.  Only where worth_slices().
template <template <class> class SiteT, class T>
void apply_steps_by_slices(const GaugeLinks<T>& links, const std::vector<SeriesStep>& steps, const Field<SiteT, T>& in,
                           const Field<SiteT, T>& out);

}  // namespace kov::detail
