// SPDX-License-Identifier: MIT
#include "kov/contractions/momentum.hpp"

#include "kov/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace kov {

std::string to_string(const Momentum& p) { return sentence(p[0], p[1], p[2]); }

std::vector<Momentum> momenta_up_to(int max_norm2) {
  require(max_norm2 >= 0 && max_norm2 <= 1000, "the largest squared momentum is", max_norm2,
          "in units of (2 pi / L)^2, which leaves no list or an absurd one; give a number from 0 to 1000");
  const int reach = int(std::sqrt(double(max_norm2)) + 1e-9);
  std::vector<Momentum> list;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z)
        if (norm2({x, y, z}) <= max_norm2) list.push_back({x, y, z});
  std::stable_sort(list.begin(), list.end(), [](const Momentum& a, const Momentum& b) { return norm2(a) < norm2(b); });
  return list;
}

Momentum representative(const Momentum& p, const Coord& extent) {
  Momentum r{std::abs(p[0]), std::abs(p[1]), std::abs(p[2])};
  for (const auto& [i, j] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{0, 2}, std::pair{0, 1}, std::pair{1, 2}})
    if (extent[std::size_t(i)] == extent[std::size_t(j)] && r[std::size_t(i)] < r[std::size_t(j)])
      std::swap(r[std::size_t(i)], r[std::size_t(j)]);
  return r;
}

std::vector<MomentumClass> momentum_classes(const std::vector<Momentum>& momenta, const Coord& extent) {
  std::vector<MomentumClass> classes;
  for (const Momentum& p : momenta) {
    const Momentum r = representative(p, extent);
    const auto found =
        std::find_if(classes.begin(), classes.end(), [&](const MomentumClass& c) { return c.representative == r; });
    if (found == classes.end())
      classes.push_back({r, {p}});
    else
      found->members.push_back(p);
  }
  return classes;
}

template <class T>
MomentumPhases<T>::MomentumPhases(const Lattice& lattice, const std::vector<Momentum>& momenta, const Coord& source)
    : n_(int(momenta.size())) {
  require(!momenta.empty(), "the list of momenta is empty, so there is nothing to compute; give at least 0 0 0");
  const Geometry& geometry = lattice.geometry();
  const Coord& local = geometry.local_extent();
  offset_[0] = local[0];
  offset_[1] = local[0] + local[1];
  std::vector<Complex<T>> factor;
  for (std::size_t mu = 0; mu < 3; ++mu)
    for (int x = 0; x < local[mu]; ++x)
      for (const Momentum& p : momenta) {
        // The turns are reduced as integers, so that every phase is exact to rounding whatever the momentum.
        const std::int64_t extent = geometry.extent()[mu], from_source = geometry.origin()[mu] + x - source[mu];
        const std::int64_t turns = ((p[mu] * from_source) % extent + extent) % extent;
        const double angle = 2 * std::numbers::pi * double(turns) / double(extent);
        if (4 * turns % extent == 0) {  // the quarter turns exactly
          constexpr int quarter[4] = {1, 0, -1, 0};
          const std::size_t q = std::size_t(4 * turns / extent);
          factor.push_back({T(quarter[q]), T(quarter[(q + 3) % 4])});
        } else {
          factor.push_back({T(std::cos(angle)), T(std::sin(angle))});
        }
      }
  factor_ = Buffer<Complex<T>>("momentum phases", factor);
}

template class MomentumPhases<float>;
template class MomentumPhases<double>;

}  // namespace kov
