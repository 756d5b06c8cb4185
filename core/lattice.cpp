// SPDX-License-Identifier: MIT
#include "kov/core/lattice.hpp"

#include "kov/core/error.hpp"
#include "kov/core/tune.hpp"

#include <map>

namespace kov {

namespace {

Geometry make_geometry(const Comm& comm, const Coord& extent, const LatticeOptions& options) {
  return Geometry(extent, options.grid.value_or(Geometry::choose_grid(extent, comm.size())), comm.rank(), comm.size());
}

Order choose_order(const Coord& local, const LatticeOptions& options) {
  const Order best = has_packs && Layout::fits(local, default_lanes) ? Order::virtual_nodes : Order::even_odd;
  require(has_packs || options.order.value_or(best) == Order::even_odd,
          "the virtual-node order needs SIMD packs, which a GPU build does not have: use the even-odd order");
  return options.order.value_or(best);
}

}  // namespace

struct Lattice::Parts {
  Comm comm;
  Geometry geometry;
  Layout layout, columns;
  bool force_halo;
  HaloOptions halo;
  std::map<std::string, std::any> memory;
  Tuner tuner;

  Parts(const Comm& c, const Coord& extent, const LatticeOptions& options)
      : comm(c),
        geometry(make_geometry(c, extent, options)),
        layout(geometry.local_extent(), parity(geometry.origin()), default_lanes,
               choose_order(geometry.local_extent(), options)),
        columns(geometry.local_extent(), parity(geometry.origin()), 1, Order::even_odd),
        force_halo(options.force_halo),
        halo(options.halo),
        tuner(c) {}
};

Lattice::Lattice(const Comm& comm, const Coord& extent, const LatticeOptions& options) {
  std::vector<std::int64_t> mine{extent[0], extent[1], extent[2], extent[3], options.force_halo,
                                 std::int64_t(options.halo.overlap), options.halo.checked_exchanges};
  for (int mu = 0; mu < 4; ++mu) mine.push_back(options.grid ? (*options.grid)[mu] : 0);
  std::vector<std::int64_t> most = mine;
  comm.max(most);
  comm.agree([&] {
    require(most == mine, "ranks disagree about the lattice", to_string(extent), ": give all the same input");
  });
  parts_ = std::make_shared<Parts>(comm, extent, options);
}

const Comm& Lattice::comm() const { return parts_->comm; }
const Geometry& Lattice::geometry() const { return parts_->geometry; }
const Layout& Lattice::layout() const { return parts_->layout; }
const Layout& Lattice::column_layout() const { return parts_->columns; }
bool Lattice::communicates(int mu) const { return parts_->force_halo || parts_->geometry.grid()[mu] > 1; }
const HaloOptions& Lattice::halo_options() const { return parts_->halo; }
Tuner& Lattice::tuner() const { return parts_->tuner; }
std::any& Lattice::memory(const std::string& key) const { return parts_->memory[key]; }

}  // namespace kov
