// SPDX-License-Identifier: MIT
//
// Halo: brings the neighbours that live on other ranks (or, forced, on the other side of this one).
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/lattice/tune.hpp"
#include "kov/stencil/halo/halo_choice.hpp"
#include "kov/stencil/halo/halo_compressor.hpp"

#include <memory>
#include <vector>

namespace kov {

namespace detail {
template <class T>
class FaceExchange;
}

/// The nearest neighbours of lattices in the order of fields of these lanes.
template <class Lanes>
const Stencil& stencil_of(const Lattice& lattice) {
  return has_packs && Lanes::holds_columns ? Stencil::of_columns(lattice) : Stencil::of(lattice);
}

/// The neighbours of fields of one shape, or what a Compressor makes of them.  Keeps its buffers from one exchange to
/// the next; copies share them, so a copy must not exchange at the same time.
template <template <class> class SiteT, class Storage, class Lanes = SiteLanes, class Compressor = WholeSites>
class Halo {
 public:
  using F = Field<SiteT, Storage, Lanes>;
  using View = typename F::View;
  using Neighbours = typename Compressor::template Neighbours<SiteT, Storage, kernel_lanes_t<Lanes>>;

  Halo() = default;
  /// For fields of n_components on this lattice, and a stencil of it (stencil_of): the nearest neighbours, or any legs.
  /// Collective; throws InputError, on every rank, when ranks ask for different halos or for legs that the stencil has
  /// not.
  Halo(const Lattice& lattice, int n_components, const HaloChoice& choice = {})
      : Halo(lattice, stencil_of<Lanes>(lattice), n_components, choice) {}
  Halo(const Lattice& lattice, const Stencil& stencil, int n_components, const HaloChoice& choice = {});

  /// Whether any neighbour comes by message.
  bool active() const { return exchange_ != nullptr; }
  /// The length of each message out of this rank when all sites are exchanged, in bytes.
  std::vector<std::size_t> message_bytes() const;
  /// How many of them go straight into the memory of their receiver.
  int shared_faces() const;
  /// Of active halos: whether the launch of such a kernel should overlap with the exchange (candidate 1) or come after
  /// it (0), and under which key that is tuned, but for what HaloReader says.
  Tuner::Choice& overlap_choice(Tuner& tuner, const HaloReader& reader) const;
  const TuneKey& tune_key() const;

  /// Fills the halo from a field whose subset tells which neighbours are wanted, and returns the field with its halo
  /// for a kernel to read until the next exchange of this halo begins; of the neighbours of the other parity see
  /// HaloChoice::OtherParity.  variant: of what the compressor makes of them.  Returns when the messages have arrived;
  /// all is ordered on exec.
  /// Collective; throws CommError when one is lost or, in a checked exchange, stale or damaged, and InputError, in a
  /// checked exchange on every rank, when the field has not the shape the halo was made for or ranks give different
  /// ones.
  Neighbours exchange(const F& field, int variant = 0, const Exec& exec = {}) const;

  /// The same in two steps: between them a kernel may use the neighbours of sites in Stencil::interior().  begin()
  /// comes after what was launched on its exec before, the field's last changes among it, and what is launched on
  /// finish()'s exec from then on finds the neighbours.  Nothing may change the field between the two.  On a GPU
  /// packing and copies run beside the kernels that are launched on exec between the two.
  Neighbours begin(const F& field, int variant = 0, const Exec& exec = {}) const;
  void finish(const Exec& exec = {}) const;

 private:
  std::shared_ptr<detail::FaceExchange<typename F::Stored>> exchange_;
  Buffer<typename F::Stored> zeros_;  // what a compressor leaves out
};

}  // namespace kov
