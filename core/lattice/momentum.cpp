// SPDX-License-Identifier: MIT
#include "kov/core/lattice/momentum.hpp"

#include "kov/core/base/error.hpp"

#include <cmath>
#include <numbers>

namespace kov {

std::string to_string(const Momentum& p) { return sentence(p[0], p[1], p[2]); }

std::vector<OppositeMomenta> opposite_momenta(const std::vector<Momentum>& momenta) {
  std::vector<OppositeMomenta> pairs;
  std::vector<bool> done(momenta.size(), false);
  for (std::size_t k = 0; k < momenta.size(); ++k) {
    if (done[k]) continue;
    const Momentum other = opposite(momenta[k]);
    OppositeMomenta pair{int(k), -1, momenta[k] == other};
    for (std::size_t i = k + 1; i < momenta.size() && pair.second < 0 && !pair.rests; ++i)
      if (!done[i] && momenta[i] == other) pair.second = int(i);
    if (pair.second >= 0) done[std::size_t(pair.second)] = true;
    pairs.push_back(pair);
  }
  return pairs;
}

template <class T>
MomentumPhases<T>::MomentumPhases(const Lattice& lattice, const std::vector<Momentum>& momenta, const Coord& source,
                                  const Exec& exec)
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
  factor_ = Buffer<Complex<T>>("momentum phases", factor, exec);
}

template class MomentumPhases<float>;
template class MomentumPhases<double>;

}  // namespace kov
