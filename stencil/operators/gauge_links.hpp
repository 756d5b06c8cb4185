// SPDX-License-Identifier: MIT
//
// GaugeLinks: links in SU(3) in the forms that operators read, with the factors of the legs beside them.
#pragma once

#include "kov/stencil/halo/stencil_halos.hpp"
#include "kov/stencil/operators/link_view.hpp"

#include <memory>
#include <vector>

namespace kov {

/// How often a link is in memory.  The bits of results are the same.
enum class LinkStorage {
  /// Once, at the site the link starts from; a backward leg loads the neighbour's link and takes its adjoint.
  once,
  /// At both of its ends, which doubles the memory traffic of operators on the full lattice: faster for few cores with
  /// much bandwidth, slower else (docs/performance.md).  CPUs only; GPUs store links once.
  twice
};

/// Forms of links that an operator reads besides the links themselves.  It says so where it is constructed, and they
/// are made there, once for all operators on the same GaugeLinks.  GPUs need none.
struct LinkForms {
  /// Doubled, so that a site's links lie in a row: for operators from one parity to the other, which read no link
  /// twice.
  bool doubled = false;
  /// For fields of columns.
  bool columns = false;
};

/// Links ready for stencil operators.  Storage: float, double, Links12<float>, ... whatever fields of colour matrices
/// take.  Copies share memory.
template <class StorageT>
class GaugeLinks {
 public:
  using Storage = StorageT;
  using Real = real_of_storage_t<ColorMatrix, Storage>;

  /// gauge: U_mu(x) in SU(3) as component mu.  Copies what it needs; later changes of gauge do not show.  Collective.
  template <class S>
  explicit GaugeLinks(const GaugeField<S>& gauge, const LegFactors& factors = {},
                      LinkStorage storage = LinkStorage::once);
  /// Links of longer legs: component k of matrices carries from x + steps[k] to x.  Throws InputError unless there are
  /// as many.
  template <class S>
  GaugeLinks(const std::vector<Coord>& steps, const Field<ColorMatrix, S>& matrices, const LegFactors& factors = {},
             LinkStorage storage = LinkStorage::once);

  /// The same links with these forms made.
  GaugeLinks with(const LinkForms& forms) const;

  const Lattice& lattice() const { return links_.lattice(); }
  /// The legs 2 k: steps[k], 2 k + 1: -steps[k]; the nearest neighbours of a gauge field.
  const std::vector<Coord>& legs() const { return legs_; }
  /// How links are in memory, for what is remembered about speeds.
  const std::string& codec() const { return codec_; }
  /// What kernels over fields of these Lanes read.  from_parity: for those from one parity to the other.  Throws
  /// InputError for columns where their form was not declared.
  template <class Lanes = SiteLanes>
  LinkView<Storage, link_lanes_t<Lanes>> view(bool from_parity = false) const;
  /// Without the factors.
  LinkView<Storage> bare_view() const;

 private:
  struct Forms {
    Field<ColorMatrix, Storage> doubled;
    Field<ColorMatrix, Storage, ColumnLanes<1>> columns;
  };
  void make_doubled() const;
  void make_columns() const;
  void set_factors(detail::LegFactorView<Real>& view, Buffer<Real>& phases, const Stencil& stencil, int lanes) const;
  LinkView<Storage> site_view(bool from_parity, const detail::LegFactorView<Real>& factors) const;

  std::vector<Coord> legs_;
  LegFactors factors_;
  LinkStorage storage_;
  std::string codec_;
  Field<ColorMatrix, Storage> links_;
  Halo<ColorMatrix, Storage> halo_;  // filled once
  NeighbourView<ColorMatrix, Storage> neighbours_;
  Buffer<Real> phases_, column_phases_;
  detail::LegFactorView<Real> leg_factors_, column_leg_factors_;
  std::shared_ptr<Forms> forms_;
};

}  // namespace kov
