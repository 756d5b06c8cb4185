// SPDX-License-Identifier: MIT
//
// Steps of the Laplacian in space, one time slice after the other: a slice does not know its neighbours in time, so a
// CPU thread takes one of them through all steps while it lies in the caches.  Not for users.
#pragma once

#include "kov/stencil/operators/laplacian.hpp"

#include <vector>

namespace kov::detail {

/// Whether take_by_slices() can do this and is the better way: packs of virtual nodes, no messages in space, slices
/// small enough for the caches and enough of them for all threads.
template <template <class> class SiteT, class T>
bool worth_slices(const Field<SiteT, T>& field);

/// All steps on every component, from = in at first, before = the result of the last step but one: bit for bit as with
/// CovariantLaplacian::take(), step by step.  in may be out.  All steps or none have a source.  Only where
/// worth_slices().
///
/// Per step and site what LaplacianKernel counts; memory traffic is that of one step, whatever their number.
template <template <class> class SiteT, class T>
void take_by_slices(const GaugeLinks<T>& links, const std::vector<LaplacianStep>& steps, const Field<SiteT, T>& in,
                    const Field<SiteT, T>& out);

}  // namespace kov::detail
