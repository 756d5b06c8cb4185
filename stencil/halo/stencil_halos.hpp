// SPDX-License-Identifier: MIT
//
// StencilHalos: the stencil of an operator, and the halos of the fields that it is applied to.
#pragma once

#include "kov/stencil/halo/halo.hpp"

#include <memory>
#include <vector>

namespace kov {

/// What an operator keeps to reach neighbours on its legs.  A halo is made for the first field of a shape (type of
/// sites, storage, lanes, number of components) and found again without any text.  Copies share the halos, so that
/// their exchanges come one after the other, also on two execution spaces; those of two operators may go on at the same
/// time. For one host thread.
class StencilHalos {
 public:
  /// Throws InputError, on every rank, where a leg reaches beyond the next rank or the ranks give different legs.
  /// Collective.
  StencilHalos(const Lattice& lattice, const std::vector<Coord>& legs);

  const Lattice& lattice() const { return parts_->lattice; }
  /// The stencil in the order of fields of these lanes.  The one for columns is made at its first use: collective then.
  template <class Lanes = SiteLanes>
  const Stencil& stencil() const {
    return has_packs && Lanes::holds_columns ? of_columns() : *parts_->of_sites;
  }
  /// The halo for fields of this one's shape.  It is made at its first use: collective then.
  template <class Compressor = WholeSites, template <class> class SiteT, class Storage, class Lanes>
  const Halo<SiteT, Storage, Lanes, Compressor>& halo(const Field<SiteT, Storage, Lanes>& field) const {
    using H = Halo<SiteT, Storage, Lanes, Compressor>;
    for (const Made& made : parts_->made)
      if (made.type == &type_of<H> && made.n_components == field.n_components())
        return *static_cast<const H*>(made.halo.get());
    const auto halo = std::make_shared<const H>(lattice(), stencil<Lanes>(), field.n_components());
    parts_->made.push_back({&type_of<H>, field.n_components(), halo});
    return *halo;
  }

 private:
  /// One object for each type of halo; its address tells them apart.
  template <class H>
  static constexpr char type_of = 0;
  struct Made {
    const void* type;
    int n_components;
    std::shared_ptr<const void> halo;
  };
  struct Parts {
    Lattice lattice;
    const Stencil *of_sites, *of_columns = nullptr;
    std::vector<Made> made = {};
  };
  const Stencil& of_columns() const;

  std::shared_ptr<Parts> parts_;
};

}  // namespace kov
