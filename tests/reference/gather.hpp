// SPDX-License-Identifier: MIT
//
// Distributed fields as whole lattices in plain arrays.
#pragma once

#include "tests/reference/global_array.hpp"

namespace kov::reference {

/// A field filled with the numbers of random_array().
template <template <class> class SiteT, class T>
Field<SiteT, T> random_field(const Lattice& lattice, int n_components, std::uint64_t seed) {
  const Field<SiteT, T> field(lattice, sentence("field", seed), n_components);
  load(field, random_array(lattice.extent(), SiteT<T>::n_complex * n_components, seed));
  return field;
}

/// All sites and components of a field on every rank.  Collective.
template <template <class> class SiteT, class Storage, class Lanes>
GlobalArray gather(const Field<SiteT, Storage, Lanes>& field) {
  const Geometry& geometry = field.lattice().geometry();
  GlobalArray a(geometry.extent(), SiteT<double>::n_complex * field.n_components());
  const std::vector<double> local = export_sites(field);
  std::size_t i = 0;
  for_each_coordinate(geometry.local_extent(), [&](const Coord& x) {
    Number* v = a.at(geometry.global(x));
    for (int k = 0; k < a.n; ++k, i += 2) v[k] = {local[i], local[i + 1]};
  });
  field.lattice().comm().sum(std::span(reinterpret_cast<double*>(a.data.data()), 2 * a.data.size()));
  return a;
}

/// Numbers first, ..., first + n - 1 of every site: one column of a propagator, one link.
inline GlobalArray part(const GlobalArray& a, int first, int n) {
  GlobalArray out(a.extent, n);
  for_each_coordinate(a.extent, [&](const Coord& x) { std::copy_n(a.at(x) + first, n, out.at(x)); });
  return out;
}

}  // namespace kov::reference
