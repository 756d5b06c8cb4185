// SPDX-License-Identifier: MIT
//
// Lattice: the handle that users pass around.  It knows the geometry, the memory layouts and the processes.
#pragma once

#include "kov/core/comm.hpp"
#include "kov/core/geometry.hpp"
#include "kov/core/layout.hpp"

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kov {

class Tuner;

/// What a user may fix about a lattice; everything has a good default.
struct LatticeOptions {
  /// Processes in each direction; chosen by Geometry::choose_grid when absent.
  std::optional<Coord> grid = {};
  /// Memory order; virtual nodes where packs exist and the local extents allow it, else even-odd.
  std::optional<Order> order = {};
  /// Exchange halos with oneself in directions that are not divided: one process then runs the whole message path.
  bool force_halo = false;
};

/// Copies are handles to the same lattice.
class Lattice {
 public:
  Lattice(const Comm& comm, const Coord& extent, const LatticeOptions& options = {});

  const Comm& comm() const;
  const Geometry& geometry() const;
  /// Sites in default_lanes lanes.
  const Layout& layout() const;
  /// One site an outer site, for blocks whose lanes are columns; on GPUs columns lie inside layout()'s outer sites
  /// instead.
  const Layout& column_layout() const;
  const Coord& extent() const { return geometry().extent(); }
  std::int64_t volume() const { return geometry().volume(); }
  /// Whether neighbours in direction mu come through a halo.
  bool communicates(int mu) const;
  Tuner& tuner() const;

  /// The object remembered under this key, made on first use: stencils and other tables that depend on the lattice
  /// alone.
  template <class Object>
  const Object& remember(const std::string& key, const std::function<Object()>& make) const {
    std::any& slot = memory(key);
    if (!slot.has_value()) slot = make();
    return *std::any_cast<Object>(&slot);
  }

  friend bool operator==(const Lattice& a, const Lattice& b) { return a.parts_ == b.parts_; }

 private:
  std::any& memory(const std::string& key) const;
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace kov
