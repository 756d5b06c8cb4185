// SPDX-License-Identifier: MIT
//
// Functions of the Laplacian as Chebyshev series whose recurrence is one kernel with the Laplacian: what profile
// smearing is made of.
#pragma once

#include "kov/stencil/functions/chebyshev.hpp"
#include "kov/stencil/functions/slice_series.hpp"
#include "kov/stencil/operators/laplacian.hpp"

#include <vector>

namespace kov {

namespace detail {

/// The steps of series(-Laplacian) in d dimensions, one for each order and at least one; the first comes from `in`.
std::vector<SeriesStep> series_steps(const ChebyshevSeries& series, Dimensions dimensions);

/// What LegSum counts, and 6 flops and three reals more of memory traffic for each real number of a site.  to may be
/// before.
template <class Links, class In, class View, int n_legs>
struct SeriesStepKernel {
  using Real = typename View::Real;
  static constexpr int max_threads = leg_threads<View>, min_blocks = leg_blocks<View>;
  static constexpr bool reaches_in_time = n_legs == 8;

  LegSum<Links, In, n_legs> legs;
  View in, before, to;
  Real source, alpha, beta;
  bool has_before;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    auto sum = zero<decltype(in(x, c))>();
    legs.add_to(sum, x, c);
    using R = typename decltype(sum)::Real;
    // One product in each sum, so that compilers fuse them the same way here and slice by slice.
    auto result = zero<decltype(sum)>();
    if (has_before) result -= before(x, c);
    multiply_add(result, R(source), in(x, c));
    multiply_add(result, R(alpha), legs.in(x, c));
    multiply_add(result, R(beta), sum);
    to.set(x, result, c);
  }
};

}  // namespace detail

/// out = series(-Delta) in, Delta the Laplacian and its spectrum times -1 in the series' interval: apply_series() with
/// the recurrence and the Laplacian in one sweep, for all components or columns at once.  in may be out; two fields of
/// their shape are made.  Where no message crosses a time slice, a CPU takes slice after slice of a three-dimensional
/// Laplacian's series through all orders, with the same bits.  Collective.  Throws InputError when the shapes differ.
///
/// Per order, site and spinor: 8 * 288 + 144 flops (6 * 288 + 144 in space) and 96 reals of memory traffic beside the
/// links'; slice by slice, those of one step for all orders.
template <template <class> class SiteT, class Storage, class Links, class Lanes>
void apply_laplacian_series(const ChebyshevSeries& series, const CovariantLaplacian<Links>& laplacian,
                            const Field<SiteT, Storage, Lanes>& in, const Field<SiteT, Storage, Lanes>& out);

}  // namespace kov
