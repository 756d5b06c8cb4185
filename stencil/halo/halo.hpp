// SPDX-License-Identifier: MIT
//
// Halo: fetches the neighbours that are on other ranks (or, with forced halos, on the opposite side of this one).
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/field/field.hpp"
#include "kov/stencil/halo/halo_choice.hpp"
#include "kov/stencil/halo/halo_compressor.hpp"

#include <memory>
#include <string>
#include <vector>

namespace kov {

namespace detail {
template <class T>
class FaceExchange;
}

/// The stencil of nearest neighbours of a lattice, with sites numbered as in fields of these Lanes.
template <class Lanes>
const Stencil& stencil_of(const Lattice& lattice) {
  return has_packs && Lanes::holds_columns ? Stencil::of_columns(lattice) : Stencil::of(lattice);
}

/// Fetches the neighbours of fields of one shape, whole or reduced by a Compressor.  Keeps its buffers from one
/// exchange to the next; copies share them, so two copies must not exchange at the same time.
template <template <class> class SiteT, class Storage, class Lanes = SiteLanes, class Compressor = WholeSites>
class Halo {
 public:
  using F = Field<SiteT, Storage, Lanes>;
  using View = typename F::View;
  using Neighbours = typename Compressor::template Neighbours<SiteT, Storage, kernel_lanes_t<Lanes>>;

  Halo() = default;
  /// For fields of n_components on this lattice.  stencil: the nearest neighbours or any legs, with sites numbered as
  /// in the fields (see stencil_of()).  Collective; throws InputError, on every rank, when ranks ask for different
  /// halos or for legs that the stencil does not have.
  Halo(const Lattice& lattice, int n_components, const HaloChoice& choice = {})
      : Halo(lattice, stencil_of<Lanes>(lattice), n_components, choice) {}
  Halo(const Lattice& lattice, const Stencil& stencil, int n_components, const HaloChoice& choice = {});

  /// Whether any neighbour is in the halo instead of the field itself.
  bool active() const { return exchange_ != nullptr; }
  /// The length of each message out of this rank when all sites are exchanged, in bytes.
  std::vector<std::size_t> message_bytes() const;
  /// How many of these messages kernels write directly into the receiver's memory.
  int shared_faces() const;
  /// How faces reach the other ranks: "shared", "shared 3 of 8", "staged", "device".  For active halos.
  std::string transport_name() const;
  /// The tuned choices for this kernel, made at its first launch and kept here.  For active halos.
  const HaloLaunches& launches(Tuner& tuner, const HaloReader& reader) const;

  /// Fills the halo and returns the field with its halo, which kernels may read until the next exchange of this halo
  /// begins.  Only neighbours in the field's subset are exchanged; for those of the other parity see
  /// HaloChoice::OtherParity.  variant: of the compressor.  Returns when the messages have arrived; ordered on exec.
  /// Collective; throws CommError when a message is lost or, in a checked exchange, stale or damaged, and InputError
  /// when the field does not have the shape that the halo was made for.  A checked exchange throws InputError on every
  /// rank, also when ranks give fields of different shapes.
  Neighbours exchange(const F& field, int variant = 0, const Exec& exec = {}) const;

  /// The same in two steps: between them a kernel may use the neighbours of sites in Stencil::interior().  begin() is
  /// ordered after everything launched on its exec before, such as kernels that write the field; kernels launched later
  /// on finish()'s exec see the neighbours.  Nothing may change the field between the two calls.  On a GPU, packing and
  /// copies run concurrently with the kernels that are launched on exec between them.
  Neighbours begin(const F& field, int variant = 0, const Exec& exec = {}) const;
  void finish(const Exec& exec = {}) const;

 private:
  std::shared_ptr<detail::FaceExchange<typename F::Stored>> exchange_;
  Buffer<typename F::Stored> zeros_;  // read in place of the numbers that a compressor leaves out
};

}  // namespace kov
