// SPDX-License-Identifier: MIT
//
// A hop whose kernel multiplies by the Hermitian blocks of a site term, or of its inverse, before it stores.
#pragma once

#include "kov/stencil/dirac/site_term.hpp"
#include "kov/stencil/operators/hop.hpp"

#include <type_traits>

namespace kov {

/// Whether hops on links in Storage are compiled with such kernels for fields F: for spinors of floats and doubles on
/// links of 18 and 12 reals of their precision, with sites in lanes.
template <class Storage, class F>
constexpr bool hops_times_blocks() {
  using T = typename F::Real;
  return !F::Lanes::holds_columns && std::is_same_v<typename F::Storage, T> &&
         (std::is_same_v<Storage, T> || std::is_same_v<Storage, Links12<T>>);
}

/// Whether this hop takes blocks: one over nearest neighbours in the chiral basis.
template <class Storage>
bool takes_blocks(const Hop<Storage>& hop) {
  return hop.basis() == SpinBasis::chiral && hop.halos().stencil().is_nearest();
}

namespace detail {

/// hop_times_blocks() on fields of one shape.
template <class Storage, class F>
struct HopTimesBlocksOn {
  static void combine(const Hop<Storage>& hop, const HermitianView<F>& blocks, double alpha, double beta, const F& in,
                      const F& diagonal, const F& out, bool adjoint, const Exec& exec);
};

}  // namespace detail

/// out = alpha diagonal + beta B H in, or with the adjoint of H, for every component.  B: blocks on the sites of out,
/// such as CloverTerm::inverse_view().  The fields are as in Hop::combine().  Asynchronous, ordered on exec.  Throws
/// InputError when the shapes do not fit, and for hops without takes_blocks().
///
/// 504 flops more than the hop, and 72 reals of memory traffic a site for all components; a product of its own would
/// write and read a spinor more.
template <class Storage, class F>
requires(hops_times_blocks<Storage, F>()) void hop_times_blocks(
    const Hop<Storage>& hop, const std::type_identity_t<detail::HermitianView<F>>& blocks, double alpha, double beta,
    const F& in, const F& diagonal, const F& out, bool adjoint = false, const Exec& exec = {}) {
  require(
      takes_blocks(hop),
      "a hop over several links or in the non-relativistic basis was to multiply by blocks: it does so over nearest "
      "neighbours in the chiral basis alone, so apply the term by itself");
  detail::HopTimesBlocksOn<Storage, F>::combine(hop, blocks, alpha, beta, in, diagonal, out, adjoint, exec);
}

}  // namespace kov
