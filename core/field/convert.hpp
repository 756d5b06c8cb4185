// SPDX-License-Identifier: MIT
//
// Copies between fields of one lattice that differ in storage: precision, codec, sites or columns in lanes.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/field/site_blocks.hpp"

namespace kov {

namespace detail {
/// From components first_in, ... of one to components first_out, ... of the other.
template <class S, class T>
void convert_sites(const Lattice& lattice, const SiteBlocks<S>& in, const FieldShape& in_shape, int first_in,
                   const SiteBlocks<T>& out, const FieldShape& out_shape, int first_out, int n, const Exec& exec);
}  // namespace detail

/// Components first_out, ..., first_out + n - 1 of out = those from first_in on of in, rounded to what out stores.  The
/// fields have the same lattice and sites.  Asynchronous, ordered on exec.  Throws InputError if the lattices or sites
/// differ or components do not exist.
template <template <class> class SiteT, class S, class InLanes, class T, class OutLanes>
void copy_components(const Field<SiteT, S, InLanes>& in, int first_in, const Field<SiteT, T, OutLanes>& out,
                     int first_out, int n, const Exec& exec = {}) {
  require(in.lattice() == out.lattice() && in.subset() == out.subset(), in.name(), "and", out.name(),
          "have different lattices or sites: copy between fields of one lattice, both full or of one parity");
  const auto holds = [n](const auto& field, int first) {
    require(first >= 0 && n > 0 && first + n <= field.n_components(), "components", first, "to", first + n - 1, "of",
            field.name(), "do not exist: it has", field.n_components());
  };
  holds(in, first_in);
  holds(out, first_out);
  using In = typename Field<SiteT, S, InLanes>::Stored;
  using Out = typename Field<SiteT, T, OutLanes>::Stored;
  detail::convert_sites(in.lattice(), detail::SiteBlocks<In>::of(in.view()), detail::FieldShape::of(in), first_in,
                        detail::SiteBlocks<Out>::of(out.view()), detail::FieldShape::of(out), first_out, n, exec);
}

/// out = in, rounded to what out stores.  Asynchronous, ordered on exec.  Throws InputError unless the fields have the
/// same lattice, sites and number of components.
template <template <class> class SiteT, class S, class InLanes, class T, class OutLanes>
void convert(const Field<SiteT, S, InLanes>& in, const Field<SiteT, T, OutLanes>& out, const Exec& exec = {}) {
  require(in.lattice() == out.lattice() && in.subset() == out.subset() && in.n_components() == out.n_components(),
          in.name(), "and", out.name(), "have different shapes: convert() changes the storage only");
  copy_components(in, 0, out, 0, in.n_components(), exec);
}

}  // namespace kov
