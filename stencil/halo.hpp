// SPDX-License-Identifier: MIT
//
// Halo: brings the neighbours that live on other ranks (or, forced, on the other side of this one).
#pragma once

#include "kov/core/block_field.hpp"
#include "kov/core/field.hpp"
#include "kov/stencil/stencil.hpp"

#include <memory>

namespace kov {

namespace detail {
template <class View, bool whole_outer>
class FaceExchange;
}

/// The neighbours of fields of one shape.  Keeps its buffers from one exchange to the next; copies share them, so a
/// copy must not exchange at the same time.
template <template <class> class SiteT, class T>
class Halo {
 public:
  using View = FieldView<SiteT, T, default_lanes>;

  Halo() = default;
  /// For fields of n_components on this lattice.
  Halo(const Lattice& lattice, int n_components);

  /// Fills the halo from a field whose subset tells which neighbours are wanted, and returns the field with its halo
  /// for a kernel to read.  Returns when the messages have arrived.  Collective; throws CommError when one is lost.
  NeighbourView<SiteT, T, default_lanes> exchange(const Field<SiteT, T>& field) const;

 private:
  std::shared_ptr<detail::FaceExchange<View, false>> exchange_;
};

/// The same for blocks of columns.
template <template <class> class SiteT, class T, int W>
class BlockHalo {
 public:
  BlockHalo() = default;
  BlockHalo(const Lattice& lattice, int n_columns);
  BlockNeighbourView<SiteT, T, W> exchange(const BlockField<SiteT, T, W>& field) const;

 private:
  using View = typename BlockView<SiteT, T, W>::Base;
  std::shared_ptr<detail::FaceExchange<View, has_packs>> exchange_;
};

}  // namespace kov
