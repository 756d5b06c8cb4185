// SPDX-License-Identifier: MIT
//
// GaugeLinks: links in SU(3) in the forms that operators read, and, stored separately, the factors of the legs.
#pragma once

#include "kov/stencil/halo/stencil_halos.hpp"
#include "kov/stencil/links/link_view.hpp"

#include <memory>
#include <vector>

namespace kov {

/// How often each link is stored.  Results are bitwise the same.
enum class LinkStorage {
  /// Once, at the site the link starts from; a backward leg loads the neighbour's link and takes its adjoint.
  once,
  /// At both of its ends, which doubles the traffic of links on the full lattice: faster for few cores with much
  /// bandwidth, otherwise slower (docs/performance.md).  CPUs only; GPUs store links once.
  twice
};

/// Forms of links that an operator reads besides the links themselves: what it was constructed with, whatever other
/// operators on the same GaugeLinks have.  Each form is made once for all of them.  GPUs need none.
struct LinkForms {
  /// Stored at both ends, so that the links of a site are contiguous: for operators from one parity to the other, which
  /// read each link only once.
  bool doubled = false;
  /// For fields of columns.
  bool columns = false;
};

namespace detail {

/// Whether operators on links stored so take fields with columns in lanes.
template <class Storage>
inline constexpr bool have_column_form = std::is_floating_point_v<typename Codec<ColorMatrix, Storage>::Stored> &&
                                         !Codec<ColorMatrix, Storage>::shape.is_eight_of_su3();

}  // namespace detail

/// Links as stencil operators read them.  Storage: of colour matrices: float, double or Fixed16, or Links12 or Links8
/// of one of these.  Those of 8 numbers and of 16 bits have no form for columns.  Copies share memory.
template <class StorageT>
class GaugeLinks {
 public:
  using Storage = StorageT;
  using Real = real_of_storage_t<ColorMatrix, Storage>;

  /// gauge: U_mu(x) in SU(3) as component mu.  Copies the links; later changes of gauge have no effect.  Collective,
  /// fences.  In 16 bits throws InputError for links with a number that is not finite; with TimeLinks::unit if others
  /// than those from the last time slice to the first differ from 1, in any bit.
  explicit GaugeLinks(const GaugeField<float>& gauge, const LegFactors& factors = {},
                      LinkStorage storage = LinkStorage::once);
  explicit GaugeLinks(const GaugeField<double>& gauge, const LegFactors& factors = {},
                      LinkStorage storage = LinkStorage::once);
  /// Links of longer legs: component k of matrices transports from x + steps[k] to x.  Throws InputError unless there
  /// is one component for each step.
  GaugeLinks(const std::vector<Coord>& steps, const Field<ColorMatrix, float>& matrices, const LegFactors& factors = {},
             LinkStorage storage = LinkStorage::once);
  GaugeLinks(const std::vector<Coord>& steps, const Field<ColorMatrix, double>& matrices,
             const LegFactors& factors = {}, LinkStorage storage = LinkStorage::once);
  GaugeLinks(const GaugeLinks&);
  GaugeLinks(GaugeLinks&&) noexcept;
  GaugeLinks& operator=(GaugeLinks&&) noexcept;
  ~GaugeLinks();

  /// The same links, with these forms too.  Fences.  Throws InputError for columns of links that have no such form.
  GaugeLinks with(const LinkForms& forms) const;

  const Lattice& lattice() const { return links_.lattice(); }
  /// Leg 2 k is steps[k], leg 2 k + 1 is -steps[k]; the nearest neighbours for a gauge field.
  const std::vector<Coord>& legs() const { return legs_; }
  /// How links are stored, for the tuner's keys.
  const std::string& codec() const { return codec_; }
  /// The part of the stored numbers that hops read: less than 1 where they leave out links in time that are 1.
  double part_read() const;
  /// The links for kernels over fields of these Lanes.  from_parity: for kernels from one parity to the other.  Throws
  /// InputError for columns if these links are without LinkForms::columns.
  template <class Lanes = SiteLanes>
  LinkView<Storage, link_lanes_t<Lanes>> view(bool from_parity = false) const {
    if constexpr (has_packs && Lanes::holds_columns)
      return column_view(column_leg_factors_);
    else
      return site_view(!Lanes::holds_columns && from_parity, leg_factors_);
  }
  /// The same without leg factors.
  template <class Lanes = SiteLanes>
  LinkView<Storage, link_lanes_t<Lanes>> bare_view() const {
    if constexpr (has_packs && Lanes::holds_columns)
      return column_view({});
    else
      return site_view(false, {});
  }

 private:
  struct Forms {
    Field<ColorMatrix, Storage> doubled;
    Field<ColorMatrix, Storage, ColumnLanes<1>> columns;
  };
  /// Tells the constructor that serves both precisions from the others.
  struct OfAnyPrecision {};
  template <class S>
  GaugeLinks(OfAnyPrecision, const std::vector<Coord>& steps, const Field<ColorMatrix, S>& matrices,
             const LegFactors& factors, LinkStorage storage);
  void make_doubled() const;
  void make_columns() const;
  void set_factors(detail::LegFactorView<Real>& view, Buffer<Real>& phases, const Stencil& stencil, int lanes) const;
  LinkView<Storage> site_view(bool from_parity, const detail::LegFactorView<Real>& factors) const;
  LinkView<Storage, ColumnLanes<1>> column_view(const detail::LegFactorView<Real>& factors) const;

  std::vector<Coord> legs_;
  LegFactors factors_;
  LinkStorage storage_;
  LinkForms declared_;
  std::string codec_;
  Field<ColorMatrix, Storage> links_;
  Halo<ColorMatrix, Storage> halo_;  // filled once
  NeighbourView<ColorMatrix, Storage> neighbours_;
  Buffer<Real> phases_, column_phases_;
  detail::LegFactorView<Real> leg_factors_, column_leg_factors_;
  std::shared_ptr<Forms> forms_;
};

}  // namespace kov
