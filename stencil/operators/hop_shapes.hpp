// SPDX-License-Identifier: MIT
//
// Private to hops: what fields they can be applied to.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/core/lattice/site.hpp"

namespace kov::detail {

/// Throws InputError unless a hop on this lattice can set out to a sum of the diagonal and its legs of in: all of one
/// lattice and as many columns, in on all sites or on the parity opposite to that of out, and in another memory.
template <class FieldT>
void require_hop_shapes(const FieldT& in, const FieldT& diagonal, const FieldT& out, const Lattice& lattice) {
  require(in.lattice() == lattice && in.subset() == opposite(out.subset()) && diagonal.conforms(out), "the hop got",
          in.name(), ",", diagonal.name(), "and", out.name(),
          "whose lattices, parities or columns do not fit: the input needs all sites or the parity opposite to the "
          "output's");
  require(in.data() != out.data(), "the hop cannot work in place on", in.name(), ": give it two different fields");
  require(in.n_components() == out.n_components(), "the hop got", in.name(), "with", in.n_components(), "columns and",
          out.name(), "with", out.n_components(), ": give it as many of each");
}

}  // namespace kov::detail
