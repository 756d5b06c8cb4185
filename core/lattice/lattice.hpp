// SPDX-License-Identifier: MIT
//
// Lattice: the handle that users pass around.  It knows the geometry, the memory layouts and the processes.
#pragma once

#include "kov/core/base/remembered.hpp"
#include "kov/core/comm/comm.hpp"
#include "kov/core/comm/exchange_options.hpp"
#include "kov/core/lattice/geometry.hpp"
#include "kov/core/lattice/layout.hpp"
#include "kov/core/lattice/sum_scratch.hpp"

#include <memory>
#include <optional>
#include <sstream>
#include <string>

namespace kov {

class Tuner;

/// What a user may fix about a lattice; everything has a good default.
struct LatticeOptions {
  /// Processes in each direction; chosen by Geometry::choose_grid when absent.
  std::optional<Coord> grid = {};
  /// Memory order; virtual nodes where packs exist and the local extents allow it, else even-odd.
  std::optional<Order> order = {};
  /// Each rank exchanges with itself in directions that are not divided: one process then runs the whole message path.
  bool force_exchange = false;
  ExchangeOptions exchange = {};
};

/// Copies are handles to the same lattice.
class Lattice {
 public:
  /// Collective.  Throws InputError, on every rank, when the ranks disagree about anything here or when the extents
  /// cannot be divided so, and NotBuilt when the transport is not there.
  Lattice(const Comm& comm, const Coord& extent, const LatticeOptions& options = {});
  Lattice(const Lattice&);
  Lattice(Lattice&&) noexcept;
  Lattice& operator=(const Lattice&);
  Lattice& operator=(Lattice&&) noexcept;
  ~Lattice();

  const Comm& comm() const;
  const Geometry& geometry() const;
  /// Sites in default_lanes lanes.
  const Layout& layout() const;
  /// One site per outer site, for blocks whose lanes are columns; on GPUs columns lie inside layout()'s outer sites
  /// instead.
  const Layout& column_layout() const;
  const Coord& extent() const { return geometry().extent(); }
  std::int64_t volume() const { return geometry().volume(); }
  /// Whether neighbours across the boundary of this rank's part in direction mu are exchanged.
  bool communicates(int mu) const;
  /// With `automatic` replaced by the transport that it means here.
  const ExchangeOptions& exchange_options() const;
  Tuner& tuner() const;
  /// Memory for sums over sites.
  detail::SumScratchPool& sum_scratch() const;

  /// Throws InputError, on every rank, unless all ranks pass the same values; parameters: their name in the message.
  /// Call this before any communication whose pattern depends on the values, because ranks that disagree would wait for
  /// each other, and before drawing random numbers.  Collective; throws CommError when a rank does not come in time.
  template <class... Values>
  void require_same(const std::string& parameters, const Values&... values) const {
    std::ostringstream text;
    text.precision(17);
    ((text << values << ' '), ...);
    comm().require_same(parameters, text.str(), exchange_options().timeout_seconds);
  }

  /// The Object remembered under this key, made at its first use and kept as long as the lattice: tables that depend on
  /// the lattice alone, and do not hold it: it would never go.  Keys need operator<; each pair (Object, Key) has a
  /// table of its own.  For one host thread.
  template <class Object, class Key, class Make>
  const Object& remember(const Key& key, const Make& make) const {
    return remembered().find<Object>(key, make);
  }

  friend bool operator==(const Lattice& a, const Lattice& b) { return a.parts_ == b.parts_; }

 private:
  Remembered& remembered() const;
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace kov
