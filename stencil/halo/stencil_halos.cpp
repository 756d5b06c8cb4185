// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/stencil_halos.hpp"

namespace kov {

const HaloTable& HaloTable::of_nearest(const Lattice& lattice, const HaloChoice& choice) {
  return lattice.remember<HaloTable>(choice, [] { return HaloTable(); });
}

StencilHalos::StencilHalos(const Lattice& lattice, const std::vector<Coord>& legs, const HaloChoice& choice)
    : parts_(std::make_shared<Parts>(
          Parts{.lattice = lattice, .of_sites = &Stencil::of(lattice, legs), .choice = choice})) {}

const Stencil& StencilHalos::of_columns() const {
  if (!parts_->of_columns) parts_->of_columns = &Stencil::of_columns(lattice(), parts_->of_sites->legs());
  return *parts_->of_columns;
}

}  // namespace kov
