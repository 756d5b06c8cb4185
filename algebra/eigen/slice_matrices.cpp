// SPDX-License-Identifier: MIT
#include "kov/algebra/eigen/slice_matrices.hpp"

#include <algorithm>

namespace kov {

SliceMatrices::SliceMatrices(const Lattice& lattice, int per_slice, int rows, int columns)
    : first(lattice.geometry().origin()[3]),
      n_slices(lattice.geometry().local_extent()[3]),
      per_slice(per_slice),
      rows(rows),
      columns(columns),
      values(std::size_t(n_slices) * size_of_slice()) {}

std::vector<std::complex<double>> slice_on_all_ranks(const Lattice& lattice, const SliceMatrices& matrices, int t) {
  require(t >= 0 && t < lattice.extent()[3], "time slice", t, "does not exist: times are 0 to",
          lattice.extent()[3] - 1);
  const std::size_t n = matrices.size_of_slice();
  std::vector<std::complex<double>> slice(n);
  const bool here = t >= matrices.first && t < matrices.first + matrices.n_slices;
  if (here) std::copy_n(matrices.at(t - matrices.first), n, slice.begin());
  const Geometry& geometry = lattice.geometry();
  const int root = geometry.rank_of({0, 0, 0, t});
  constexpr std::size_t most = std::size_t(1) << 26;  // complex numbers in a message
  for (std::size_t begin = 0; begin < n; begin += most)
    lattice.comm().broadcast(std::as_writable_bytes(std::span(slice).subspan(begin, std::min(most, n - begin))), root);
  return slice;
}

namespace {

/// The ranks with this rank's time slices, in ascending order.
std::vector<int> ranks_of_slices(const Geometry& geometry) {
  std::vector<int> ranks;
  const Coord& grid = geometry.grid();
  const Coord local = geometry.local_extent();
  for (int z = 0; z < grid[2]; ++z)
    for (int y = 0; y < grid[1]; ++y)
      for (int x = 0; x < grid[0]; ++x)
        ranks.push_back(geometry.rank_of({x * local[0], y * local[1], z * local[2], geometry.origin()[3]}));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// One piece, short enough for messages.
void sum_piece(const Comm& comm, const std::vector<int>& ranks, std::span<double> values) {
  const int n = int(ranks.size());
  const int me = int(std::find(ranks.begin(), ranks.end(), comm.rank()) - ranks.begin());
  const auto part = [&](int k) {
    const std::size_t begin = values.size() * std::size_t(k) / std::size_t(n),
                      end = values.size() * std::size_t(k + 1) / std::size_t(n);
    return values.subspan(begin, end - begin);
  };
  const std::size_t mine = part(me).size();
  std::vector<double> received(mine * std::size_t(n));
  {
    Comm::Exchange exchange(comm);
    for (int k = 0; k < n; ++k)
      if (k != me) {
        exchange.receive(std::as_writable_bytes(std::span(received).subspan(mine * std::size_t(k), mine)),
                         ranks[std::size_t(k)], 0);
        exchange.send(std::as_bytes(std::span<const double>(part(k))), ranks[std::size_t(k)], 0);
      }
    exchange.wait();
  }
  std::copy_n(part(me).begin(), mine, received.begin() + std::ptrdiff_t(mine) * me);
  for (std::size_t i = 0; i < mine; ++i) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += received[mine * std::size_t(k) + i];
    part(me)[i] = sum;
  }
  Comm::Exchange exchange(comm);
  for (int k = 0; k < n; ++k)
    if (k != me) {
      exchange.receive(std::as_writable_bytes(part(k)), ranks[std::size_t(k)], 1);
      exchange.send(std::as_bytes(std::span<const double>(part(me))), ranks[std::size_t(k)], 1);
    }
  exchange.wait();
}

}  // namespace

void sum_over_slice_ranks(const Lattice& lattice, std::span<double> values) {
  const std::vector<int> ranks = ranks_of_slices(lattice.geometry());
  if (ranks.size() == 1) return;
  constexpr std::size_t most = std::size_t(1) << 24;
  for (std::size_t begin = 0; begin < values.size(); begin += most)
    sum_piece(lattice.comm(), ranks, values.subspan(begin, std::min(most, values.size() - begin)));
}

}  // namespace kov
