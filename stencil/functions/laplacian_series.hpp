// SPDX-License-Identifier: MIT
//
// Functions of the Laplacian as Chebyshev series, with the recurrence and the Laplacian in one kernel: used by profile
// smearing.
#pragma once

#include "kov/stencil/functions/chebyshev.hpp"
#include "kov/stencil/operators/laplacian.hpp"

#include <vector>

namespace kov {

namespace detail {

/// The steps of series(-Laplacian) in d dimensions, one for each order and at least one; the first reads `in`.
std::vector<LaplacianStep> series_steps(const ChebyshevSeries& series, Dimensions dimensions);

/// apply_laplacian_series() on fields of one shape.
template <class Links, class F>
struct LaplacianSeriesOn {
  static void apply(const ChebyshevSeries& series, const CovariantLaplacian<Links>& laplacian, const F& in,
                    const F& out, const Exec& exec);
};

}  // namespace detail

/// out = series(-Delta) in, with Delta the Laplacian and the spectrum of -Delta in the series' interval: apply_series()
/// with the recurrence and the Laplacian in one sweep, for all components or columns at once.  in may be out; makes two
/// fields of their shape.  For the three-dimensional Laplacian, if space is not divided among ranks, a CPU performs all
/// orders on one time slice after the other, with bitwise the same result.  Collective.  Ordered on exec.  Throws
/// InputError when the shapes differ.
///
/// Per order, site and spinor: 8 * 288 + 144 flops (6 * 288 + 144 in space) and 96 reals of memory traffic besides the
/// links'; slice by slice, all orders together have the traffic of one.
template <template <class> class SiteT, class Storage, class Links, class Lanes>
void apply_laplacian_series(const ChebyshevSeries& series, const CovariantLaplacian<Links>& laplacian,
                            const Field<SiteT, Storage, Lanes>& in, const Field<SiteT, Storage, Lanes>& out,
                            const Exec& exec = {}) {
  detail::LaplacianSeriesOn<Links, Field<SiteT, Storage, Lanes>>::apply(series, laplacian, in, out, exec);
}

}  // namespace kov
