// SPDX-License-Identifier: MIT
//
// StencilHalos: the stencil of an operator, and the halos of the fields that it is applied to.
#pragma once

#include "kov/stencil/halo/halo.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace kov {

/// Halos of one stencil, for fields of any shape (type of sites, storage, lanes, number of components).  Holds no
/// lattice, so that a lattice can keep it.  Copies share the halos.  For one host thread.
class HaloTable {
 public:
  /// Of nearest neighbours, kept by the lattice for free functions.
  static const HaloTable& of_nearest(const Lattice& lattice, const HaloChoice& choice);

  /// The halo of type H for so many components; at its first use it is what make() returns, a
  /// std::shared_ptr<const H>, which is collective.
  template <class H, class Make>
  const H& find(int n_components, const Make& make) const {
    for (const Made& made : *made_)
      if (made.type == &type_of<H> && made.n_components == n_components) return *static_cast<const H*>(made.halo.get());
    const std::shared_ptr<const H> halo = make();
    made_->push_back({&type_of<H>, n_components, halo});
    return *halo;
  }

 private:
  /// One object for each type of halo; its address identifies the type, so that find() casts to the type that was made.
  template <class H>
  static constexpr char type_of = 0;
  struct Made {
    const void* type;
    int n_components;
    std::shared_ptr<const void> halo;
  };

  std::shared_ptr<std::vector<Made>> made_ = std::make_shared<std::vector<Made>>();
};

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
    using H = Halo<SiteT, Storage, Lanes, Compressor>;
    return parts_->halos.find<H>(field.n_components(), [&] {
      return std::make_shared<const H>(lattice(), stencil<Lanes>(), field.n_components(), parts_->choice);
    });
  }

 private:
  struct Parts {
    Lattice lattice;
    const Stencil *of_sites, *of_columns = nullptr;
    HaloChoice choice;
    HaloTable halos = {};
  };
  const Stencil& of_columns() const;

  std::shared_ptr<Parts> parts_;
};

}  // namespace kov
