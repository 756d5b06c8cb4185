// SPDX-License-Identifier: MIT
//
// Between fields and plain arrays in lexicographic order: what files, tests and users' own codes hold.
#pragma once

#include "kov/core/field.hpp"

#include <complex>
#include <span>
#include <vector>

namespace kov {

/// This rank's sites as doubles [site][component][complex][re|im], sites lexicographic in the local box, x fastest.  A
/// field of one parity has zeros on the other.
template <template <class> class SiteT, class T, int N>
std::vector<double> export_sites(const Field<SiteT, T, N>& field);

/// The inverse of export_sites; rounds to T.  Throws InputError when the length is not the field's.
template <template <class> class SiteT, class T, int N>
void import_sites(std::span<const double> values, const Field<SiteT, T, N>& field);

/// out = in, in another precision.  The fields must have the same lattice, sites and number of components.
template <template <class> class SiteT, class T, class S>
void convert(const Field<SiteT, T>& in, const Field<SiteT, S>& out);

// peek() and poke() are collective; all ranks pass the same.  They wait for the kernels before them and copy a block on
// GPUs: for single sites, not for loops.  Both throw InputError, on every rank, for a site outside the lattice (naming
// its extents) or of the other parity and for a component that does not exist.

/// One site's object at a global coordinate, on every rank.
template <template <class> class SiteT, class T, int N>
SiteT<double> peek(const Field<SiteT, T, N>& field, const Coord& x, int component = 0);

/// Sets one site's object at a global coordinate; rounds to T.
template <template <class> class SiteT, class T, int N>
void poke(const Field<SiteT, T, N>& field, const Coord& x, const SiteT<double>& value, int component = 0);

}  // namespace kov
