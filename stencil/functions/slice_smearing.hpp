// SPDX-License-Identifier: MIT
//
// Many steps of a spatial smearing, one time slice after the other: a slice does not know its neighbours in time, so a
// CPU thread takes one of them through all steps while it lies in the caches.
#pragma once

#include "kov/stencil/operators/gauge_links.hpp"

namespace kov {

/// psi -> alpha psi + beta (sum of the six spatial legs), n_steps times, on every component of a field.
struct SmearingSteps {
  double alpha, beta;
  int n_steps;
};

/// Whether smear_slices() can do this and is the better way: packs of virtual nodes, no messages in space, slices small
/// enough for the caches and enough of them for all threads.
template <template <class> class SiteT, class T>
bool worth_slices(const Field<SiteT, T>& field);

/// out = the steps of in, bit for bit what the same number of CovariantLaplacian::combine calls gives; in may be out.
/// Only where worth_slices() is true.
///
/// Per step and site 6 * 288 + 48 flops (spinor); memory traffic is that of one step, whatever their number.
template <template <class> class SiteT, class T>
void smear_slices(const GaugeLinks<T>& links, const SmearingSteps& steps, const Field<SiteT, T>& in,
                  const Field<SiteT, T>& out);

}  // namespace kov
