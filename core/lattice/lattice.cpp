// SPDX-License-Identifier: MIT
#include "kov/core/lattice/lattice.hpp"

#include "kov/core/base/device.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/lattice/tune.hpp"

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

/// 1 in each direction divided among ranks.
Coord divided(const Coord& grid) {
  Coord d{};
  for (std::size_t mu = 0; mu < 4; ++mu) d[mu] = grid[mu] > 1;
  return d;
}

/// Everything that must be the same on all ranks, as text.
std::string in_words(const Coord& extent, const LatticeOptions& options) {
  return sentence(to_string(extent), "grid", options.grid ? to_string(*options.grid) : "any", "order",
                  options.order ? to_string(*options.order) : "any", "forced exchange", options.force_exchange,
                  to_string(options.exchange));
}

}  // namespace

struct Lattice::Parts {
  Comm comm;
  Geometry geometry;
  Layout layout, columns;
  bool force_exchange;
  ExchangeOptions exchange;
  Remembered remembered;
  Tuner tuner;
  detail::SumScratchPool sum_scratch;

  Parts(const Comm& c, const Coord& extent, const LatticeOptions& options)
      : comm(c),
        geometry(make_geometry(c, extent, options)),
        layout(geometry.local_extent(), parity(geometry.origin()), default_lanes,
               choose_order(geometry.local_extent(), options), divided(geometry.grid())),
        columns(geometry.local_extent(), parity(geometry.origin()), 1, Order::even_odd),
        force_exchange(options.force_exchange),
        exchange(options.exchange.resolved(c)),
        tuner(c, device_name()) {}
};

Lattice::Lattice(const Comm& comm, const Coord& extent, const LatticeOptions& options) {
  comm.require_same("the lattice", in_words(extent, options), options.exchange.timeout_seconds);
  parts_ = std::make_shared<Parts>(comm, extent, options);
}

Lattice::Lattice(const Lattice&) = default;
Lattice::Lattice(Lattice&&) noexcept = default;
Lattice& Lattice::operator=(const Lattice&) = default;
Lattice& Lattice::operator=(Lattice&&) noexcept = default;
Lattice::~Lattice() = default;

const Comm& Lattice::comm() const { return parts_->comm; }
const Geometry& Lattice::geometry() const { return parts_->geometry; }
const Layout& Lattice::layout() const { return parts_->layout; }
const Layout& Lattice::column_layout() const { return parts_->columns; }
bool Lattice::communicates(int mu) const { return parts_->force_exchange || parts_->geometry.grid()[mu] > 1; }
const ExchangeOptions& Lattice::exchange_options() const { return parts_->exchange; }
Tuner& Lattice::tuner() const { return parts_->tuner; }
detail::SumScratchPool& Lattice::sum_scratch() const { return parts_->sum_scratch; }
Remembered& Lattice::remembered() const { return parts_->remembered; }

}  // namespace kov
