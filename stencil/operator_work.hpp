// SPDX-License-Identifier: MIT
//
// Not for users: what an application of an operator counts as work.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/launch/work.hpp"

namespace kov::detail {

/// The bytes of a site in memory, without padding.
template <template <class> class SiteT, class Storage>
inline constexpr double bytes_of_site = double(Codec<SiteT, Storage>::shape.n_numbers()) *
                                        sizeof(typename Codec<SiteT, Storage>::Stored);

/// Counts an operator from in to out, which are read and written once.  flops: for each site and component; site_bytes:
/// what else a site reads, once for all components; more_bytes: what else the whole operator reads.
template <class FieldT>
void count_operator(const FieldT& in, const FieldT& out, double flops, double site_bytes, double more_bytes = 0) {
  const double sites = double(out.lattice().geometry().local_volume()) / (out.subset() == Subset::all ? 1 : 2);
  count_work(sites * out.n_components() * flops,
             double(in.bytes()) + double(out.bytes()) + sites * site_bytes + more_bytes);
}

}  // namespace kov::detail
