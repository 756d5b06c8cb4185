// SPDX-License-Identifier: MIT
//
// Halo: brings the neighbours that live on other ranks (or, forced, on the other side of this one).
#pragma once

#include "kov/core/field/block_field.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/lattice/tune.hpp"
#include "kov/stencil/stencil.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace kov {

namespace detail {
template <class T>
class FaceExchange;
}

/// What a halo may do otherwise than the others.
struct HaloChoice {
  /// The precision of messages where it shall not be the lattice's HaloOptions::wire (for matrices: full).
  std::optional<HaloOptions::Wire> wire = {};
  /// The legs, by their number in the stencil, that kernels will read; none: all.  Others send nothing and their part
  /// of the halo stays what it was.
  std::vector<int> legs = {};
};

/// The legs +x +y +z +t and -x -y -z -t of the nearest neighbours.
inline const std::vector<int> forward_legs{0, 2, 4, 6};
inline const std::vector<int> backward_legs{1, 3, 5, 7};

/// The neighbours of fields of one shape.  Keeps its buffers from one exchange to the next; copies share them, so a
/// copy must not exchange at the same time.
template <template <class> class SiteT, class T>
class Halo {
 public:
  using View = FieldView<SiteT, T>;
  using Neighbours = NeighbourView<SiteT, T>;

  Halo() = default;
  /// For fields of n_components on this lattice, and a stencil of it: the nearest neighbours, or any legs.  Collective;
  /// throws InputError, on every rank, when ranks ask for different halos or for legs that the stencil has not.
  Halo(const Lattice& lattice, int n_components, const HaloChoice& choice = {})
      : Halo(lattice, Stencil::of(lattice), n_components, choice) {}
  Halo(const Lattice& lattice, const Stencil& stencil, int n_components, const HaloChoice& choice = {});

  /// Whether any neighbour comes by message.
  bool active() const { return exchange_ != nullptr; }
  /// The length of each message out of this rank when all sites are exchanged, in bytes.
  std::vector<std::size_t> message_bytes() const;
  /// How many of them go straight into the memory of their receiver.
  int shared_faces() const;
  /// For choices about work that waits for an exchange: all but the kernel and what it writes.  Of active halos.
  const TuneKey& tune_key() const;

  /// Fills the halo from a field whose subset tells which neighbours are wanted, and returns the field with its halo
  /// for a kernel to read.  The halo of the other parity stays what it was.  Returns when the messages have arrived.
  /// Collective; throws CommError when one is lost or, in a checked exchange, stale or damaged, and InputError, in a
  /// checked exchange on every rank, when the field has not the shape the halo was made for or ranks give different
  /// ones.
  Neighbours exchange(const Field<SiteT, T>& field) const;

  /// The same in two steps: between them a kernel may use the neighbours of sites in Stencil::interior().
  Neighbours begin(const Field<SiteT, T>& field) const;
  void finish() const;

 private:
  std::shared_ptr<detail::FaceExchange<T>> exchange_;
};

/// The same for blocks of columns.
template <template <class> class SiteT, class T, int W>
class BlockHalo {
 public:
  using Neighbours = BlockNeighbourView<SiteT, T, W>;

  BlockHalo() = default;
  BlockHalo(const Lattice& lattice, int n_columns, const HaloChoice& choice = {});
  bool active() const { return exchange_ != nullptr; }
  std::vector<std::size_t> message_bytes() const;
  const TuneKey& tune_key() const;
  Neighbours exchange(const BlockField<SiteT, T, W>& field) const;
  Neighbours begin(const BlockField<SiteT, T, W>& field) const;
  void finish() const;

 private:
  using View = typename BlockView<SiteT, T, W>::Base;
  std::shared_ptr<detail::FaceExchange<T>> exchange_;
};

}  // namespace kov
