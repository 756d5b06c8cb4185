// SPDX-License-Identifier: MIT
#include "kov/core/lattice/layout.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/site/unroll.hpp"

#include <algorithm>

namespace kov {

std::string to_string(Order order) { return order == Order::virtual_nodes ? "virtual nodes" : "even-odd"; }
std::string to_string(Subset subset) { return subset == Subset::all ? "all" : subset == Subset::even ? "even" : "odd"; }

namespace {

/// The directions that are halved, x first, so that time slices stay whole where they can: neighbours in t then stay
/// close in memory, and a time slice is whole packs.
std::vector<int> cut_directions(const Coord& extent, int lanes) {
  std::vector<int> cut;
  for (int mu = 0; mu < 4 && (1 << cut.size()) < lanes; ++mu)
    if (extent[mu] % 4 == 0) cut.push_back(mu);
  return cut;
}

}  // namespace

bool Layout::fits(const Coord& extent, int lanes) {
  for (int mu = 0; mu < 4; ++mu)
    if (extent[mu] % 2 != 0) return false;
  return (1 << cut_directions(extent, lanes).size()) == lanes;
}

Layout::Layout(const Coord& local_extent, int origin_parity, int lanes, Order order, const Coord& divided)
    : extent_(local_extent), outer_(local_extent), origin_parity_(origin_parity & 1), lanes_(lanes), order_(order) {
  const int sites = int(volume(extent_));
  if (order == Order::even_odd) {
    const int even_first = (sites + 1) / 2;  // sites of the first site's parity
    n_even_ = origin_parity_ ? sites - even_first : even_first;
    n_odd_ = sites - n_even_;
    n_outer_half_ = (even_first + lanes - 1) / lanes;
    if (lanes > 1) n_outer_half_ = whole_pairs(n_outer_half_);
    return;
  }
  require(fits(local_extent, lanes), "local extents", to_string(local_extent), "do not split into", lanes,
          "virtual nodes: each cut halves a direction whose extent is a multiple of four; use the even-odd order");
  int bit = 1;
  for (int mu : cut_directions(extent_, lanes)) {
    outer_[mu] /= 2;
    bit_[mu] = bit;
    bit *= 2;
  }
  n_even_ = n_odd_ = sites / 2;
  const int n_outer = int(volume(outer_));
  n_outer_half_ = n_outer / 2;
  index_.resize(std::size_t(n_outer));
  base_host_.resize(std::size_t(n_outer));
  // Both sites of a pair have one parity, and their neighbours on any leg are a pair again.
  for (const bool among_divided : {true, false})
    for (int mu = 3; mu >= 0; --mu)
      if (outer_[mu] % 4 == 0 && (divided[mu] != 0) == among_divided) pair_direction_ = mu;
  Coord box = outer_;  // of the first sites of pairs
  if (pair_direction_ >= 0) box[pair_direction_] /= 2;
  int next[2] = {0, n_outer_half_};
  const auto number = [&](const Coord& x) {
    const int o = next[(parity(x) + origin_parity_) & 1]++;
    index_[std::size_t(lexicographic(x, outer_))] = o;
    base_host_[std::size_t(o)] =
        std::uint64_t(x[0]) | std::uint64_t(x[1]) << 16 | std::uint64_t(x[2]) << 32 | std::uint64_t(x[3]) << 48;
  };
  // Tiles of four in z keep the neighbours in z and t of a double-precision time slice in a second-level cache.
  constexpr int tile = 4;
  for (int z0 = 0; z0 < box[2]; z0 += tile)
    for (int t = 0; t < box[3]; ++t)
      for (int z = z0; z < std::min(z0 + tile, box[2]); ++z)
        for (int y = 0; y < box[1]; ++y)
          for (int x = 0; x < box[0]; ++x) {
            Coord at{x, y, z, t};
            number(at);
            if (pair_direction_ < 0) continue;
            at[pair_direction_] += box[pair_direction_];
            number(at);
          }
  base_ = Buffer<std::uint64_t>("layout", base_host_);
}

SiteRange Layout::range(Subset subset) const {
  const int half = n_outer_half_;
  SiteRange range{};
  range.first = subset == Subset::odd ? half : 0;
  range.n_outer = subset == Subset::all ? 2 * half : half;
  range.part_outer = half;
  range.turns = subset == Subset::all;
  range.n_sites[0] = subset == Subset::odd ? n_odd_ : n_even_;
  range.n_sites[1] = subset == Subset::all ? n_odd_ : 0;
  const int half_z_slice = extent_[0] * extent_[1] / 2, half_slice = half_z_slice * extent_[2];
  if (subset != Subset::all || order_ != Order::even_odd || extent_[0] * extent_[1] % 2 != 0 ||
      half_slice % lanes_ != 0 || half_slice * extent_[3] != half * lanes_)
    return range;
  range.slice = half_slice / lanes_;
  range.n_slices = extent_[3];
  if (half_z_slice % (2 * lanes_) == 0 && extent_[2] % 2 == 0) {
    range.z_bits = extent_[2] % 4 == 0 ? 2 : 1;
    range.by_bricks = FastDivisor(std::uint32_t(half_z_slice / (2 * lanes_)));
  }
  return range;
}

Layout::Position Layout::locate(const Coord& x) const {
  if (order_ == Order::even_odd) {
    const int p = (parity(x) + origin_parity_) & 1, s = int(lexicographic(x, extent_) >> 1);
    return {p * n_outer_half_ + s / lanes_, s % lanes_};
  }
  Coord o;
  int lane = 0;
  // Number by number: a vector of the four would wait for those that were just written.
  kov::unroll<4>([&](int mu) {
    const bool upper = x[mu] >= outer_[mu];
    o[mu] = x[mu] - (upper ? outer_[mu] : 0);
    lane |= upper ? bit_[mu] : 0;
  });
  return {outer_index(o), lane};
}

Layout::View Layout::view(bool host) const {
  View v{order_,
         lanes_,
         n_outer_half_,
         n_even_,
         n_odd_,
         origin_parity_,
         {},
         {},
         {},
         host ? base_host_.data() : base_.data()};
  for (int mu = 0; mu < 4; ++mu) {
    v.extent[mu] = extent_[mu];
    v.outer[mu] = outer_[mu];
    v.bit[mu] = bit_[mu];
  }
  return v;
}

}  // namespace kov
