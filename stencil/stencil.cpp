// SPDX-License-Identifier: MIT
#include "kov/stencil/stencil.hpp"

#include "kov/stencil/stencil_builder.hpp"

#include <algorithm>

namespace kov {

const std::vector<Coord>& nearest_neighbours() {
  static const std::vector<Coord> legs{{1, 0, 0, 0}, {-1, 0, 0, 0}, {0, 1, 0, 0}, {0, -1, 0, 0},
                                       {0, 0, 1, 0}, {0, 0, -1, 0}, {0, 0, 0, 1}, {0, 0, 0, -1}};
  return legs;
}

bool change_parity(const std::vector<Coord>& legs) {
  return std::all_of(legs.begin(), legs.end(), [](const Coord& leg) { return parity(leg) == 1; });
}

const Stencil& Stencil::of(const Lattice& lattice) { return of(lattice, nearest_neighbours()); }
const Stencil& Stencil::of_columns(const Lattice& lattice) { return of_columns(lattice, nearest_neighbours()); }
const Stencil& Stencil::of_space(const Lattice& lattice) {
  static const std::vector<Coord> legs(nearest_neighbours().begin(), nearest_neighbours().begin() + 6);
  return of(lattice, legs);
}
const Stencil& Stencil::of(const Lattice& lattice, const std::vector<Coord>& legs) {
  return lattice.remember<Stencil>(legs, [&] { return Stencil(lattice, lattice.layout(), legs); });
}
const Stencil& Stencil::of_columns(const Lattice& lattice, const std::vector<Coord>& legs) {
  struct OfColumns {
    Stencil stencil;
  };
  return lattice.remember<OfColumns>(legs, [&] { return OfColumns{Stencil(lattice, lattice.column_layout(), legs)}; })
      .stencil;
}

std::string Stencil::name() const {
  std::string text = "legs";
  for (const Coord& leg : legs_) text.append(" ").append(leg_name(leg));
  return text;
}

Stencil::Stencil(const Lattice& lattice, const Layout& layout, const std::vector<Coord>& legs)
    : legs_(legs),
      halo_(std::make_shared<HaloPlan>()),
      order_(layout.order()),
      lanes_(layout.lanes()),
      n_half_slots_(layout.n_outer() / 2 * layout.lanes()),
      origin_parity_(layout.origin_parity()) {
  lattice.comm().require_same("the legs of a stencil", name(), lattice.exchange_options().timeout_seconds);
  for (int mu = 0; mu < 4; ++mu) {
    extent_[mu] = layout.extent()[mu];
    communicates_[mu] = lattice.communicates(mu);
  }
  Builder(*this, lattice, layout).build();
}

SiteList Stencil::list(Subset subset, int which) const {
  const Buffer<int>& all = lists_[std::size_t(which)];
  const int n = int(all.size()), even = n_even_listed_[std::size_t(which)];
  switch (subset) {
    case Subset::all:
      return {all.data(), n};
    case Subset::even:
      return {all.data(), even};
    default:
      return {all.data() + even, n - even};
  }
}

bool Stencil::is_nearest() const { return (legs_.size() == 6 || legs_.size() == 8) && Builder::computed(legs_); }

Stencil::NearestView Stencil::nearest() const {
  require<InputError>(is_nearest(), "a kernel for nearest neighbours was given a stencil of", name(),
                      ": use Stencil::of(lattice) or of_space(lattice), or let the kernel take Stencil::View");
  return {view()};
}

Stencil::LocalView Stencil::local() const {
  require<InputError>(!halo().any() && !has_packs, "a kernel without halos was given a stencil of", name(),
                      "which has halos or is on a CPU: use nearest()");
  return {nearest()};
}

Stencil::View Stencil::view() const {
  return {entries_.data(),
          slots_.data(),
          crossings_.data(),
          crossing_legs_.data(),
          pairs_.data(),
          legs_apart_.data(),
          order_,
          int(legs_.size()),
          lanes_,
          n_half_slots_,
          origin_parity_,
          extent_,
          communicates_,
          halo_slot_,
          FastDivisor(std::uint32_t(extent_[0] / 2)),
          FastDivisor(std::uint32_t(extent_[1])),
          FastDivisor(std::uint32_t(extent_[2]))};
}

}  // namespace kov
