// SPDX-License-Identifier: MIT
#include "kov/core/lattice/slice_gather.hpp"

#include <algorithm>

namespace kov {

namespace {

bool has_time(const Geometry& g, int t) { return t >= g.origin()[3] && t < g.origin()[3] + g.local_extent()[3]; }

/// f(a piece of values, its number)
template <class Span, class F>
void for_each_piece(Span values, std::size_t piece, const F& f) {
  for (int k = 0; !values.empty(); ++k) {
    const std::size_t n = std::min(piece, values.size());
    f(values.first(n), k);
    values = values.subspan(n);
  }
}

}  // namespace

SliceGather::SliceGather(const Comm& comm, const Geometry& geometry, int reals, std::size_t piece)
    : comm_(comm), reals_(reals), piece_(piece) {
  if (comm.rank() != 0 || comm.size() == 1) return;
  slice_.resize(std::size_t(geometry.volume() / geometry.extent()[3]) * std::size_t(reals));
  for (int r = 0; r < comm.size(); ++r) ranks_.emplace_back(geometry.extent(), geometry.grid(), r, comm.size());
  received_.resize(slice_.size());
}

std::span<const double> SliceGather::operator()(int t, std::span<const double> mine) {
  if (comm_.size() == 1) return mine;
  Comm::Exchange exchange(comm_);
  if (comm_.rank() != 0) {
    for_each_piece(mine, piece_,
                   [&](std::span<const double> part, int k) { exchange.send(std::as_bytes(part), 0, k); });
    exchange.wait();
    return {};
  }
  std::vector<std::span<const double>> parts(ranks_.size());
  parts[0] = mine;
  std::span<double> free(received_);
  for (std::size_t r = 1; r < ranks_.size(); ++r) {
    if (!has_time(ranks_[r], t)) continue;
    const std::size_t n = std::size_t(ranks_[r].local_volume() / ranks_[r].local_extent()[3]) * std::size_t(reals_);
    for_each_piece(free.first(n), piece_,
                   [&](std::span<double> part, int k) { exchange.receive(std::as_writable_bytes(part), int(r), k); });
    parts[r] = free.first(n);
    free = free.subspan(n);
  }
  exchange.wait();
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (!parts[r].empty()) place(parts[r], ranks_[r]);
  }
  return slice_;
}

void SliceGather::place(std::span<const double> part, const Geometry& from) {
  const Coord &box = from.local_extent(), &origin = from.origin(), &extent = from.extent();
  const std::size_t row = std::size_t(box[0]) * std::size_t(reals_);
  for (int z = 0; z < box[2]; ++z) {
    for (int y = 0; y < box[1]; ++y, part = part.subspan(row)) {
      const std::int64_t site = lexicographic({origin[0], origin[1] + y, origin[2] + z, 0}, extent);
      std::copy_n(part.begin(), row, slice_.begin() + site * reals_);
    }
  }
}

}  // namespace kov
