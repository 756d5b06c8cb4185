// SPDX-License-Identifier: MIT
//
// StencilHalos: the stencil of an operator, and the halos of the fields that it is applied to.
#pragma once

#include "kov/stencil/halo/halo.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace kov {

/// The stencil and halos that an operator keeps.  A halo is made for the first field of each shape (type of sites,
/// storage, lanes, number of components) and used for all later ones.  Copies share the halos, so their exchanges run
/// one after the other, even on different execution space instances; exchanges of two operators may overlap.  For one
/// host thread.
///
/// Halos are not members of their own because an operator, which knows how its links are stored, takes fields of any
/// lanes and number of components: which of them, it learns when it is applied.  A halo of each possible shape would
/// take memory, shared between ranks, for shapes that never come.  Where the shape is known, a Halo is a member.
class StencilHalos {
 public:
  /// Throws InputError, on every rank, where a leg reaches beyond the next rank or the ranks give different legs.
  /// Collective.  choice: of each halo.
  StencilHalos(const Lattice& lattice, const std::vector<Coord>& legs, const HaloChoice& choice = {});
  /// Those of nearest neighbours that the lattice keeps, for free functions.
  static const StencilHalos& of_nearest(const Lattice& lattice, const HaloChoice& choice);

  const Lattice& lattice() const { return parts_->lattice; }
  std::optional<ExchangeOptions::Wire> wire() const { return parts_->choice.wire; }
  /// The stencil with sites numbered as in fields of these Lanes.  The one for columns is made at its first use, which
  /// is collective.
  template <class Lanes = SiteLanes>
  const Stencil& stencil() const {
    return has_packs && Lanes::holds_columns ? of_columns() : *parts_->of_sites;
  }
  /// The halo for fields of this shape.  Made at its first use, which is collective.
  template <class Compressor = WholeSites, template <class> class SiteT, class Storage, class Lanes>
  const Halo<SiteT, Storage, Lanes, Compressor>& halo(const Field<SiteT, Storage, Lanes>& field) const {
    return of_type<Halo<SiteT, Storage, Lanes, Compressor>>(field.n_components());
  }
  /// The same for any type of Halo.
  template <class H>
  const H& of_type(int n_components) const {
    for (const Made& made : parts_->made)
      if (made.type == &type_of<H> && made.n_components == n_components) return *static_cast<const H*>(made.halo.get());
    const auto halo =
        std::make_shared<const H>(lattice(), stencil<typename H::F::Lanes>(), n_components, parts_->choice);
    parts_->made.push_back({&type_of<H>, n_components, halo});
    return *halo;
  }

 private:
  /// One object for each type of halo; its address identifies the type, so that halo() casts to the type that was made.
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
    HaloChoice choice;
    std::vector<Made> made = {};
  };
  const Stencil& of_columns() const;

  std::shared_ptr<Parts> parts_;
};

}  // namespace kov
