// SPDX-License-Identifier: MIT
//
// Copies between fields and plain arrays in lexicographic order, as files, tests and users' own codes have them.
#pragma once

#include "kov/core/field/site_blocks.hpp"
#include "kov/core/lattice/site_rows.hpp"

#include <array>
#include <concepts>
#include <span>
#include <vector>

namespace kov {

namespace detail {
template <class Stored>
void export_blocks(const Layout& layout, const SiteBlocks<Stored>& blocks, const FieldShape& shape,
                   std::span<double> values);
/// The same of blocks where kernels run, for GPUs: a kernel puts them in order, before they are copied.
template <class Stored>
void export_device_blocks(const Layout& layout, const SiteBlocks<Stored>& blocks, const FieldShape& shape,
                          std::span<double> values);
/// Up to this many doubles are put in order faster by a host than by a GPU, from which they have to be copied.
inline constexpr std::size_t few_numbers = std::size_t(1) << 17;
/// Zeros, whose pages all threads have touched first.
std::vector<double> host_numbers(std::size_t n);
template <class Stored>
void import_blocks(const Layout& layout, const SiteBlocks<Stored>& blocks, const FieldShape& shape,
                   std::span<const double> values);
/// Throws InputError unless the site is in the lattice and of the subset, and the component there.
void require_site(const Lattice& lattice, const FieldShape& shape, const std::string& name, const Coord& x,
                  int component);
/// A component of a site, which this rank owns, to and from the host.
template <class Stored>
void read_site(const SiteBlocks<Stored>& blocks, const FieldShape& shape, const Layout::Position& at, int component,
               std::span<double> values);
template <class Stored>
void write_site(const SiteBlocks<Stored>& blocks, const FieldShape& shape, const Layout::Position& at, int component,
                std::span<const double> values);
}  // namespace detail

/// This rank's sites as doubles [site][component][complex][re|im], sites lexicographic in the local box, x fastest.  A
/// field of one parity has zeros on the other.
template <template <class> class SiteT, class Storage, class Lanes>
std::vector<double> export_sites(const Field<SiteT, Storage, Lanes>& field) {
  using Blocks = detail::SiteBlocks<typename Field<SiteT, Storage, Lanes>::Stored>;
  const auto shape = detail::FieldShape::of(field);
  std::vector<double> values = detail::host_numbers(std::size_t(field.layout().n_sites()) *
                                                    std::size_t(shape.n_components) * std::size_t(shape.site.n_reals));
  require(unified_memory || field.contiguous(), "a host copy of", field.name(),
          "was asked for, which is only some components of a field: copy the whole field");
  // Numbers that are computed have other last bits on hosts.
  if (unified_memory || (shape.site.stores_all() && values.size() <= detail::few_numbers)) {
    const HostField<SiteT, Storage, Lanes> host(field);
    detail::export_blocks(field.layout(), Blocks::of(host.view()), shape, values);
  } else {
    detail::export_device_blocks(field.layout(), Blocks::of(field.view()), shape, values);
  }
  return values;
}

/// The inverse of export_sites; rounds to what the field stores.  Throws InputError when the length is not the field's.
template <template <class> class SiteT, class Storage, class Lanes>
void import_sites(std::span<const double> values, const Field<SiteT, Storage, Lanes>& field) {
  const auto shape = detail::FieldShape::of(field);
  const int n = shape.n_components * shape.site.n_reals;
  require(values.size() == std::size_t(field.layout().n_sites()) * std::size_t(n), "an array of", values.size(),
          "numbers does not fill", field.name(), "of", field.layout().n_sites(), "sites and", n, "reals a site");
  const HostField<SiteT, Storage, Lanes> host(field, HostAccess::write_all);
  detail::import_blocks(field.layout(),
                        detail::SiteBlocks<typename Field<SiteT, Storage, Lanes>::Stored>::of(host.view()), shape,
                        values);
  host.commit();
}

/// The sites of a layout in groups of rows along x that share their blocks of memory, so that filling one
/// group at a time fills whole cache lines.
SiteRows rows_of(const Layout& layout);

/// The sites of a field group by group of rows_of() its layout, in memory of the host: for threads that read or write a
/// file.  Groups have no site in common, so threads may work on several at the same time.
template <template <class> class SiteT, std::floating_point T>
class FieldRows {
 public:
  /// Copies the field to the host, except for write_all; where kernels run on the host it shares the field's memory.
  /// Throws InputError for a field on one parity.
  explicit FieldRows(const Field<SiteT, T>& field, HostAccess access = HostAccess::read_write)
      : field_(field), host_(field, access), rows_(rows_of(field.layout())) {
    require(field.subset() == Subset::all, "the rows of", field.name(),
            "cannot be formed, because they alternate between the parities and it has one: take a full field");
  }

  const SiteRows& rows() const { return rows_; }
  /// values: doubles [row of the group][site][component][complex][re|im]; import_group() rounds to T.
  void import_group(std::int64_t group, std::span<const double> values) const;
  void export_group(std::int64_t group, std::span<double> values) const;
  /// Copies what was imported back to the field.
  void commit() const { host_.commit(); }

 private:
  Field<SiteT, T> field_;
  HostField<SiteT, T> host_;
  SiteRows rows_;
};

// peek() and poke() are collective; all ranks pass the same.  They wait for the kernels before them and copy a block on
// GPUs: for single sites, not for loops.  Both throw InputError, on every rank, for a site outside the lattice (naming
// its extents) or of the other parity and for a component that does not exist.

/// One site's object at a global coordinate, on every rank.
template <template <class> class SiteT, class Storage, class Lanes>
SiteT<double> peek(const Field<SiteT, Storage, Lanes>& field, const Coord& x, int component = 0) {
  using Stored = typename Field<SiteT, Storage, Lanes>::Stored;
  const auto shape = detail::FieldShape::of(field);
  detail::require_site(field.lattice(), shape, field.name(), x, component);
  const Geometry& geometry = field.lattice().geometry();
  constexpr int n = SiteT<double>::n_complex;
  std::array<double, 2 * n> values{};
  if (geometry.owns(x))
    detail::read_site(detail::SiteBlocks<Stored>::of(field.view()), shape, field.layout().locate(geometry.local(x)),
                      component, values);
  field.lattice().comm().broadcast(std::as_writable_bytes(std::span<double>(values)), geometry.rank_of(x));
  SiteT<double> r;
  for (int k = 0; k < n; ++k) r.z[k] = {values[2 * k], values[2 * k + 1]};
  return r;
}

/// Sets one site's object at a global coordinate; rounds to what the field stores.
template <template <class> class SiteT, class Storage, class Lanes>
void poke(const Field<SiteT, Storage, Lanes>& field, const Coord& x, const SiteT<double>& value, int component = 0) {
  using Stored = typename Field<SiteT, Storage, Lanes>::Stored;
  const auto shape = detail::FieldShape::of(field);
  detail::require_site(field.lattice(), shape, field.name(), x, component);
  const Geometry& geometry = field.lattice().geometry();
  if (!geometry.owns(x)) return;
  constexpr int n = SiteT<double>::n_complex;
  std::array<double, 2 * n> values;
  for (int k = 0; k < n; ++k) {
    values[2 * k] = value.z[k].re;
    values[2 * k + 1] = value.z[k].im;
  }
  detail::write_site(detail::SiteBlocks<Stored>::of(field.view()), shape, field.layout().locate(geometry.local(x)),
                     component, values);
}

}  // namespace kov
