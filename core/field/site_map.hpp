// SPDX-License-Identifier: MIT
//
// Between fields and plain arrays in lexicographic order: what files, tests and users' own codes hold.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/lattice/site_rows.hpp"

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

/// The sites of a layout in groups of rows along x that share their blocks of memory, so that who fills a group at a
/// time fills whole cache lines.
SiteRows rows_of(const Layout& layout);

/// The sites of a field group by group of rows_of() its layout, in memory of the host: for threads that read or write a
/// file.  Groups have no site in common, so threads may work on several at the same time.
template <template <class> class SiteT, class T, int N = default_lanes>
class FieldRows {
 public:
  /// Copies the field to the host, but not for write_all; shares its memory where kernels run on the host.
  /// Throws InputError for a field on one parity.
  explicit FieldRows(const Field<SiteT, T, N>& field, HostAccess access = HostAccess::read_write)
      : field_(field), host_(field, access), rows_(rows_of(field.layout())) {
    require(field.subset() == Subset::all, "the rows of", field.name(), "are on both parities, and it has one");
  }

  const SiteRows& rows() const { return rows_; }
  /// values: doubles [row of the group][site][component][complex][re|im]; import_group() rounds to T.
  void import_group(std::int64_t group, std::span<const double> values) const;
  void export_group(std::int64_t group, std::span<double> values) const;
  /// Copies what was imported back to the field.
  void commit() const { host_.commit(); }

 private:
  Field<SiteT, T, N> field_;
  HostField<SiteT, T, N> host_;
  SiteRows rows_;
};

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
