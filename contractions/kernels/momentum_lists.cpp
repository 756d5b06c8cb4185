// SPDX-License-Identifier: MIT
#include "kov/contractions/kernels/momentum_lists.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kov {

std::vector<Momentum> momenta_up_to(int max_norm2) {
  require(max_norm2 >= 0 && max_norm2 <= 1000, "the largest squared momentum is", max_norm2,
          "in units of (2 pi / L)^2, which leaves no momenta or far too many; give a number from 0 to 1000");
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

}  // namespace kov
