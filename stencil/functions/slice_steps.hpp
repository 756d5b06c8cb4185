// SPDX-License-Identifier: MIT
//
// Steps of the three-dimensional Laplacian, one time slice after the other: slices are independent, so a CPU thread
// performs all steps on one slice while that is in the caches.  Not for users.
#pragma once

#include "kov/stencil/operators/laplacian.hpp"

#include <vector>

namespace kov::detail {

/// Whether take_by_slices() is possible and faster: packs of virtual nodes, no messages in space, slices small enough
/// for the caches and enough of them for all threads.
template <template <class> class SiteT, class T>
bool worth_slices(const Field<SiteT, T>& field);

/// Performs all steps on every component: the first from `in`, the others from the last result, with `before` the
/// result of the step before the last one.  Bitwise the same as CovariantLaplacian::take(), step by step.  in may be
/// out.  Either all steps have a source or none has.  Throws InputError unless worth_slices().  Ordered on exec.
///
/// Flops per step and site as in LaplacianKernel; the memory traffic of all steps together is that of one.
template <template <class> class SiteT, class T>
void take_by_slices(const GaugeLinks<T>& links, const std::vector<LaplacianStep>& steps, const Field<SiteT, T>& in,
                    const Field<SiteT, T>& out, const Exec& exec = {});

}  // namespace kov::detail
